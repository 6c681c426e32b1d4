package io.glyphgate.plugin.discoverykubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSliceBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.server.mock.KubernetesCrudDispatcher;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.fabric8.mockwebserver.Context;
import io.fabric8.mockwebserver.MockWebServer;
import io.fabric8.mockwebserver.http.RecordedRequest;
import io.glyphgate.spi.EndpointDiscovery;
import io.glyphgate.spi.EndpointDiscoveryProvider;
import io.glyphgate.testkit.EndpointDiscoveryContract;
import java.net.InetAddress;
import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Against the mock API server of the client library, which keeps objects and tells watchers of changes. */
class KubernetesTest extends EndpointDiscoveryContract {
    private KubernetesMockServer server;
    private KubernetesClient admin;
    private int port;

    @BeforeEach
    void start() {
        server = server(0);
        port = server.getPort();
        admin = client();
    }

    @AfterEach
    void stop() {
        admin.close();
        server.destroy();
    }

    private static KubernetesMockServer server(int port) {
        KubernetesMockServer started = new KubernetesMockServer(
                new Context(), new MockWebServer(), new HashMap<>(), new KubernetesCrudDispatcher(), false);
        started.init(InetAddress.getLoopbackAddress(), port);
        return started;
    }

    private KubernetesClient client() {
        Config config = new ConfigBuilder(Config.empty())
                .withMasterUrl("http://127.0.0.1:" + port)
                .withNamespace("models")
                .withRequestRetryBackoffLimit(1)
                .withWatchReconnectInterval(100)
                .build();
        return new KubernetesClientBuilder().withConfig(config).build();
    }

    @Override
    protected EndpointDiscoveryProvider provider() {
        return new Kubernetes(this::client);
    }

    @Override
    protected Map<String, String> options() {
        return Map.of("service", "decode");
    }

    @Override
    protected List<URI> servers(int count) {
        return IntStream.range(0, count).mapToObj(i -> URI.create("http://10.0.0." + (i + 1) + ":8000")).toList();
    }

    @Override
    protected void publish(List<URI> servers) {
        EndpointSliceBuilder slice = slice("decode-a", "decode", "IPv4").addNewPort().withName("http").withPort(8000).endPort();
        servers.forEach(uri -> slice.addNewEndpoint().withAddresses(uri.getHost()).endEndpoint());
        put(slice.build());
    }

    /** A source that makes no sense: nobody can know which port is meant. */
    @Override
    protected void breakDown() {
        put(slice("decode-a", "decode", "IPv4")
                .addNewPort().withName("http").withPort(8000).endPort()
                .addNewPort().withName("metrics").withPort(9000).endPort()
                .addNewEndpoint().withAddresses("10.0.0.1").endEndpoint()
                .build());
    }

    @Override
    protected boolean mayStay(Thread thread) {
        // of the mock server; and of the JDK's HTTP client, whose threads end when it is collected
        return super.mayStay(thread) || thread.getName().startsWith("vert.x") || thread.getName().startsWith("HttpClient-");
    }

    private static EndpointSliceBuilder slice(String name, String service, String family) {
        return new EndpointSliceBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace("models")
                .addToLabels("kubernetes.io/service-name", service)
                .endMetadata()
                .withAddressType(family);
    }

    /** The mock server forgets what happens between a list and its watch; so this waits for the watch, if anybody watches. */
    private void awaitWatch() {
        try {
            RecordedRequest request = server.takeRequest(2, TimeUnit.SECONDS);
            while (request != null && !request.getPath().contains("watch=true")) {
                request = server.takeRequest(2, TimeUnit.SECONDS);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void put(EndpointSlice slice) {
        var slices = admin.discovery().v1().endpointSlices().inNamespace("models");
        if (slices.withName(slice.getMetadata().getName()).get() == null) {
            slices.resource(slice).create();
        } else {
            awaitWatch();
            slices.resource(slice).update();
        }
    }

    @Test
    void onlyReadyPodsOfTheServiceCount() throws Exception {
        put(slice("decode-a", "decode", "IPv4")
                .addNewPort().withName("http").withPort(8000).endPort()
                .addNewEndpoint().withAddresses("10.0.0.1").withNewConditions().withReady(true).endConditions().endEndpoint()
                .addNewEndpoint().withAddresses("10.0.0.2").withNewConditions().withReady(false).endConditions().endEndpoint()
                .addNewEndpoint().withAddresses("10.0.0.3").endEndpoint()
                .build());
        put(slice("decode-b", "decode", "IPv4")
                .addNewPort().withName("http").withPort(8001).endPort()
                .addNewEndpoint().withAddresses("10.0.0.4", "10.0.0.5").endEndpoint()
                .build());
        put(slice("decode-6", "decode", "IPv6")
                .addNewPort().withName("http").withPort(8000).endPort()
                .addNewEndpoint().withAddresses("fd00::1").endEndpoint()
                .build());
        put(slice("prefill-a", "prefill", "IPv4")
                .addNewPort().withName("http").withPort(8000).endPort()
                .addNewEndpoint().withAddresses("10.0.0.9").endEndpoint()
                .build());
        Heard heard = new Heard();
        try (EndpointDiscovery discovery = create(options())) {
            discovery.start(heard);
            heard.await("they are told", patience(), told -> told.tellings() > 0);
        }
        assertThat(heard.last()).containsExactly(
                URI.create("http://10.0.0.1:8000"), URI.create("http://10.0.0.3:8000"), URI.create("http://10.0.0.4:8001"));
    }

    @Test
    void aServiceWithoutPodsHasNoServers() throws Exception {
        publish(servers(1));
        Heard heard = new Heard();
        try (EndpointDiscovery discovery = create(options())) {
            discovery.start(heard);
            heard.await("it is told", patience(), told -> told.last().size() == 1);
            awaitWatch();
            admin.discovery().v1().endpointSlices().inNamespace("models").withName("decode-a").delete();
            heard.await("it has gone", patience(), told -> told.last().isEmpty());
        }
        assertThat(heard.failures()).isEmpty();
    }

    @Test
    void anApiServerThatIsNotThereYetIsToldAndAwaited() throws Exception {
        server.destroy();
        Heard heard = new Heard();
        try (EndpointDiscovery discovery = create(options())) {
            discovery.start(heard);
            heard.await("the failure is told", patience(), told -> !told.failures().isEmpty());
            server = server(port);
            publish(servers(1));
            heard.await("the server is told", patience(), told -> told.last().size() == 1);
        }
        assertThat(heard.failures().getFirst()).contains("models/decode");
    }

    @Test
    void aPortIsTakenByItsNameOrItsNumber() {
        EndpointSlice slice = slice("decode-a", "decode", "IPv6")
                .addNewPort().withName("http").withPort(8000).endPort()
                .addNewPort().withName("metrics").withPort(9000).endPort()
                .addNewEndpoint().withAddresses("fd00::1").endEndpoint()
                .build();
        assertThat(new ServerAddresses("https", Optional.of("metrics")).of(List.of(slice)))
                .containsExactly(URI.create("https://[fd00::1]:9000"));
        assertThat(new ServerAddresses("http", Optional.of("8000")).of(List.of(slice)))
                .containsExactly(URI.create("http://[fd00::1]:8000"));
        assertThatThrownBy(() -> new ServerAddresses("http", Optional.of("grpc")).of(List.of(slice)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no port 'grpc'")
                .hasMessageContaining("metrics (9000)");
        assertThatThrownBy(() -> new ServerAddresses("http", Optional.empty()).of(List.of(slice)))
                .hasMessageContaining("2 ports");
    }

    @Test
    void needsAService() {
        assertThatThrownBy(() -> create(Map.of())).hasMessageContaining("service is missing");
    }

    @Test
    void aWrongSchemeIsRefused() {
        assertThatThrownBy(() -> create(Map.of("service", "s", "scheme", "grpc"))).hasMessageContaining("scheme");
    }
}
