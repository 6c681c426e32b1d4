package io.glyphgate.plugin.discovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.glyphgate.spi.EndpointDiscovery;
import io.glyphgate.spi.EndpointDiscoveryProvider;
import io.glyphgate.testkit.EndpointDiscoveryContract;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WatchedFileTest extends EndpointDiscoveryContract {
    @Override
    protected EndpointDiscoveryProvider provider() {
        return new WatchedFile();
    }

    @Override
    protected Map<String, String> options() {
        return Map.of("path", "servers.txt", "interval", "100ms");
    }

    @Override
    protected List<URI> servers(int count) {
        return IntStream.range(0, count).mapToObj(i -> URI.create("http://decode-" + i + ":8000")).toList();
    }

    @Override
    protected void publish(List<URI> servers) throws IOException {
        write("# servers\n\n" + String.join("\r\n", servers.stream().map(uri -> "  " + uri + " # one").toList()));
    }

    @Override
    protected void breakDown() throws IOException {
        write("http://decode-0:8000\nno server at all\n");
    }

    private Path file() {
        return folder().resolve("servers.txt");
    }

    private void write(String text) throws IOException {
        Files.writeString(file(), text);
    }

    @Test
    void takesAFileThatIsPutInItsPlace() throws Exception {
        publish(servers(1));
        Heard heard = new Heard();
        try (EndpointDiscovery discovery = create(options())) {
            discovery.start(heard);
            heard.await("the first is told", patience(), told -> told.last().size() == 1);
            Path next = Files.writeString(folder().resolve("next"), "http://other:1\n");
            Files.move(next, file(), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            heard.await("the new one is told", patience(), told -> told.last().contains(URI.create("http://other:1")));
        }
    }

    @Test
    void aFileThatComesBackIsNews() throws Exception {
        publish(servers(1));
        Heard heard = new Heard();
        try (EndpointDiscovery discovery = create(options())) {
            discovery.start(heard);
            heard.await("the first is told", patience(), told -> told.last().size() == 1);
            Files.delete(file());
            heard.await("its absence is told", patience(), told -> !told.failures().isEmpty());
            publish(servers(1));
            heard.await("it is told again", patience(), told -> told.tellings() == 2);
        }
    }

    @Test
    void whatIsStillBeingWrittenIsNotTaken() throws Exception {
        Polling.Source lines = new WatchedFile.Lines(file());
        write("http://a:1\n");
        assertThat(lines.look()).hasValue(List.of(URI.create("http://a:1")));
        write("http://a:1\nhttp://b");
        assertThat(lines.look()).isEmpty();
        write("http://a:1\nhttp://b:2\n");
        assertThat(lines.look()).isEmpty();
        assertThat(lines.look()).hasValue(List.of(URI.create("http://a:1"), URI.create("http://b:2")));
        assertThat(lines.look()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"decode-0:8000", "http:///x", "ftp://a:1", "http://a b", "/etc/passwd", "http://a:1 http://b:1"})
    void aLineThatIsNoAddressIsNamed(String line) throws Exception {
        write("http://a:1\n" + line + "\n");
        assertThatThrownBy(() -> new WatchedFile.Lines(file()).look())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("servers.txt, line 2: '" + line + "'");
    }

    @Test
    void anEmptyFileIsNoList() throws Exception {
        write("# nobody\n");
        assertThatThrownBy(() -> new WatchedFile.Lines(file()).look()).hasMessageContaining("names no server");
    }

    @Test
    void bytesThatAreNoTextAreNoList() throws Exception {
        Files.write(file(), new byte[] {(byte) 0xC3, '\n'});
        assertThatThrownBy(() -> new WatchedFile.Lines(file()).look()).hasMessageContaining("UTF-8");
    }

    @Test
    void needsAPath() {
        assertThatThrownBy(() -> create(Map.of())).hasMessageContaining("path is missing");
    }

    @ParameterizedTest
    @ValueSource(strings = {"10", "10 minutes", "10ms", "-1s"})
    void aWrongIntervalIsRefused(String interval) {
        assertThatThrownBy(() -> create(Map.of("path", "x", "interval", interval)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("interval is '" + interval + "'");
    }
}
