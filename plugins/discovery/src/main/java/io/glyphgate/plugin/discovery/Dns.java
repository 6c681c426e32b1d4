package io.glyphgate.plugin.discovery;

import io.glyphgate.spi.EndpointDiscovery;
import io.glyphgate.spi.EndpointDiscoveryProvider;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Every address that a name has in DNS is a server: a headless service of Kubernetes, or a name with several A or AAAA records.
 * Options: {@code host}, {@code port}, {@code scheme} (http), {@code interval} (10s).
 */
public final class Dns implements EndpointDiscoveryProvider {
    private static final Duration INTERVAL = Duration.ofSeconds(10);

    private final Resolver resolver;

    /** Where names are looked up. */
    @FunctionalInterface
    interface Resolver {
        InetAddress[] addresses(String host) throws UnknownHostException;
    }

    /** As the JVM resolves names. */
    public Dns() {
        this(InetAddress::getAllByName);
    }

    Dns(Resolver resolver) {
        this.resolver = resolver;
    }

    @Override
    public String name() {
        return "dns";
    }

    @Override
    public EndpointDiscovery create(Context context) {
        Options options = new Options(context.options());
        String host = options.required("host", "decode.models.svc.cluster.local");
        int port = options.port("port");
        String scheme = options.text("scheme", "http");
        Duration interval = options.time("interval", INTERVAL);
        options.requireNoOther(name(), "host, port, scheme and interval");
        if (!scheme.equals("http") && !scheme.equals("https")) {
            throw new IllegalArgumentException("scheme is '" + scheme + "', but must be http or https");
        }
        return new Polling(context.pool(), () -> Optional.of(servers(scheme, host, port)), interval);
    }

    private List<URI> servers(String scheme, String host, int port) throws IOException {
        try {
            return Arrays.stream(resolver.addresses(host))
                    .map(address -> URI.create(scheme + "://" + literal(address) + ":" + port))
                    .sorted()
                    .toList();
        } catch (UnknownHostException e) {
            // a name without addresses and a name server that is down look the same
            throw new IOException("the name '" + host + "' has no address, or no name server answers: check the name, and that"
                    + " this machine can look it up", e);
        }
    }

    /** An address as it stands in a URI. */
    private static String literal(InetAddress address) {
        String text = address.getHostAddress();
        // a scope such as %eth0 has to be written %25eth0
        return address instanceof Inet6Address ? "[" + text.replace("%", "%25") + "]" : text;
    }
}
