package io.glyphgate.plugin.discoverykubernetes;

import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.glyphgate.spi.EndpointDiscovery;
import io.glyphgate.spi.EndpointDiscoveryProvider;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Supplier;

/**
 * The ready pods of a Kubernetes service are the servers. The API server tells of changes at once; where it is and how to speak to
 * it is taken from the service account of the pod, or from a kubeconfig file, as kubectl does. Options: {@code service},
 * {@code namespace} (that of the pod), {@code port} (a name or a number; needed if the service has several), {@code scheme} (http).
 */
public final class Kubernetes implements EndpointDiscoveryProvider {
    private static final int REQUEST_LIMIT_MILLIS = 10_000;

    private final Supplier<KubernetesClient> clients;

    /** With the client that the surroundings of the process configure. */
    public Kubernetes() {
        // the informer tries again by itself, and says so
        this(() -> new KubernetesClientBuilder()
                .withConfig(new ConfigBuilder()
                        .withRequestRetryBackoffLimit(1)
                        .withRequestTimeout(REQUEST_LIMIT_MILLIS)
                        .build())
                .build());
    }

    Kubernetes(Supplier<KubernetesClient> clients) {
        this.clients = clients;
    }

    @Override
    public String name() {
        return "kubernetes";
    }

    @Override
    public EndpointDiscovery create(Context context) {
        Map<String, String> options = new HashMap<>(context.options());
        Optional<String> service = Optional.ofNullable(options.remove("service"));
        Optional<String> namespace = Optional.ofNullable(options.remove("namespace"));
        Optional<String> port = Optional.ofNullable(options.remove("port"));
        String scheme = Optional.ofNullable(options.remove("scheme")).orElse("http");
        if (!options.isEmpty()) {
            throw new IllegalArgumentException("the discovery " + name() + " has no option "
                    + String.join(", ", new TreeSet<>(options.keySet())) + "; it has service, namespace, port and scheme");
        }
        if (!scheme.equals("http") && !scheme.equals("https")) {
            throw new IllegalArgumentException("scheme is '" + scheme + "', but must be http or https");
        }
        if (service.isEmpty() || service.get().isBlank()) {
            throw new IllegalArgumentException("service is missing; for example service: decode");
        }
        return new Slices(clients, namespace, service.get(), new ServerAddresses(scheme, port));
    }
}
