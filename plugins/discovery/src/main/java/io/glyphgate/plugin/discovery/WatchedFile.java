package io.glyphgate.plugin.discovery;

import io.glyphgate.spi.EndpointDiscovery;
import io.glyphgate.spi.EndpointDiscoveryProvider;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A file with an address on each line; {@code #} begins a comment. It is read again and again, because not every file system tells
 * of changes, and taken when it was the same twice, so that one that is still being written is not taken. Options: {@code path},
 * relative to the configuration file, and {@code interval} (1s).
 */
public final class WatchedFile implements EndpointDiscoveryProvider {
    private static final Duration INTERVAL = Duration.ofSeconds(1);
    private static final int MOST_BYTES = 1 << 20;

    /** For the service loader. */
    public WatchedFile() {}

    @Override
    public String name() {
        return "file";
    }

    @Override
    public EndpointDiscovery create(Context context) {
        Options options = new Options(context.options());
        Path path = context.folder().resolve(options.required("path", "decode-servers.txt"));
        Duration interval = options.time("interval", INTERVAL);
        options.requireNoOther(name(), "path and interval");
        return new Polling(context.pool(), new Lines(path), interval);
    }

    /** The file, and what it held last time. */
    static final class Lines implements Polling.Source {
        private final Path path;
        private byte @Nullable [] last;
        private boolean first = true;
        private boolean taken;

        Lines(Path path) {
            this.path = path;
        }

        @Override
        public Optional<List<URI>> look() throws IOException {
            // what is there at the start is taken at once: a start should not wait
            boolean start = first;
            first = false;
            byte[] before = last;
            try {
                last = bytes();
            } catch (IOException e) {
                taken = false; // when it is back, that is news
                throw e;
            }
            boolean same = Arrays.equals(last, before);
            if (!same) {
                taken = false;
            }
            if (taken || !(same || start)) {
                return Optional.empty();
            }
            taken = true;
            return Optional.of(servers(last));
        }

        private byte[] bytes() throws IOException {
            try {
                if (Files.size(path) > MOST_BYTES) {
                    throw new IOException("the file " + path + " is larger than " + MOST_BYTES + " bytes: is it the right one?");
                }
                return Files.readAllBytes(path);
            } catch (NoSuchFileException e) {
                throw new IOException("there is no file " + path + ": write one with an address on each line", e);
            }
        }

        private List<URI> servers(byte[] bytes) throws IOException {
            String[] lines;
            try {
                lines = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString().split("\\R", -1);
            } catch (CharacterCodingException e) {
                throw new IOException("the file " + path + " is no text in UTF-8", e);
            }
            List<URI> servers = new ArrayList<>();
            for (int i = 0; i < lines.length; i++) {
                String line = lines[i].replaceFirst("#.*", "").strip();
                if (!line.isEmpty()) {
                    servers.add(server(line, i + 1));
                }
            }
            if (servers.isEmpty()) {
                throw new IOException("the file " + path + " names no server: write an address on each line, or remove the pool");
            }
            return servers;
        }

        private URI server(String line, int number) throws IOException {
            try {
                URI uri = new URI(line);
                boolean web = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
                if (web && uri.getHost() != null) {
                    return uri;
                }
            } catch (URISyntaxException e) {
                throw new IOException(wrong(line, number), e);
            }
            throw new IOException(wrong(line, number));
        }

        private String wrong(String line, int number) {
            return "the file " + path + ", line " + number + ": '" + line
                    + "' is not the address of a server; write it as http://decode-0:8000";
        }
    }
}
