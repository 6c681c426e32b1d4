package io.glyphgate.plugin.discovery;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.glyphgate.spi.EndpointDiscovery;
import io.glyphgate.spi.EndpointDiscoveryProvider;
import io.glyphgate.testkit.EndpointDiscoveryContract;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DnsTest extends EndpointDiscoveryContract {
    private volatile List<InetAddress> addresses = List.of();

    @Override
    protected EndpointDiscoveryProvider provider() {
        return new Dns(host -> {
            if (!host.equals("decode.example") || addresses.isEmpty()) {
                throw new UnknownHostException(host);
            }
            return addresses.toArray(InetAddress[]::new);
        });
    }

    @Override
    protected Map<String, String> options() {
        return Map.of("host", "decode.example", "port", "8000", "interval", "100ms");
    }

    @Override
    protected List<URI> servers(int count) {
        return IntStream.range(0, count).mapToObj(i -> URI.create("http://10.0.0." + (i + 1) + ":8000")).toList();
    }

    @Override
    protected void publish(List<URI> servers) throws UnknownHostException {
        InetAddress[] all = new InetAddress[servers.size()];
        for (int i = 0; i < all.length; i++) {
            all[i] = InetAddress.getByName(servers.get(i).getHost());
        }
        addresses = List.of(all);
    }

    @Override
    protected void breakDown() {
        addresses = List.of();
    }

    @Test
    void anAddressOfVersion6IsWrittenInBrackets() throws Exception {
        addresses = List.of(InetAddress.getByName("2001:db8::7"));
        Heard heard = new Heard();
        try (EndpointDiscovery discovery =
                create(Map.of("host", "decode.example", "port", "1", "scheme", "https", "interval", "100ms"))) {
            discovery.start(heard);
            heard.await("it is told", patience(), told ->
                    told.last().contains(URI.create("https://[2001:db8:0:0:0:0:0:7]:1")));
        }
    }

    @Test
    void theJvmsOwnNamesAreFound() throws Exception {
        Heard heard = new Heard();
        try (EndpointDiscovery discovery = new Dns().create(context(Map.of("host", "localhost", "port", "8000")))) {
            discovery.start(heard);
            heard.await("it is told", patience(), told -> told.last().contains(URI.create("http://127.0.0.1:8000")));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "65536", "http", "-1", "99999999"})
    void aWrongPortIsRefused(String port) {
        assertThatThrownBy(() -> create(Map.of("host", "h", "port", port)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("port is '" + port + "'");
    }

    @Test
    void aWrongSchemeIsRefused() {
        assertThatThrownBy(() -> create(Map.of("host", "h", "port", "1", "scheme", "grpc"))).hasMessageContaining("scheme");
    }

    @Test
    void needsAHost() {
        assertThatThrownBy(() -> create(Map.of("port", "1"))).hasMessageContaining("host is missing");
    }
}
