package io.glyphgate.plugin.discoverykubernetes;

import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.glyphgate.spi.EndpointDiscovery;
import java.net.URI;
import java.util.Collection;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Watches the EndpointSlices of one service. */
final class Slices implements EndpointDiscovery {
    private static final String OF_SERVICE = "kubernetes.io/service-name";

    private final Supplier<KubernetesClient> clients;
    private final Optional<String> namespace;
    private final String service;
    private final ServerAddresses addresses;
    private @Nullable KubernetesClient client;
    private @Nullable SharedIndexInformer<EndpointSlice> informer;
    private boolean closed;

    Slices(Supplier<KubernetesClient> clients, Optional<String> namespace, String service, ServerAddresses addresses) {
        this.clients = clients;
        this.namespace = namespace;
        this.service = service;
        this.addresses = addresses;
    }

    @Override
    public synchronized void start(Listener listener) {
        KubernetesClient started;
        try {
            started = clients.get();
        } catch (KubernetesClientException e) {
            listener.failed("the way to the Kubernetes API is not configured: " + e.getMessage()
                    + ": run in a pod with a service account, or give a kubeconfig file");
            return;
        }
        client = started;
        String place = namespace.orElse(started.getNamespace() == null ? "default" : started.getNamespace());
        SharedIndexInformer<EndpointSlice> slices = started.discovery()
                .v1()
                .endpointSlices()
                .inNamespace(place)
                .withLabel(OF_SERVICE, service)
                .runnableInformer(0);
        informer = slices;
        slices.exceptionHandler((begun, fault) -> {
            tell(() -> listener.failed("the EndpointSlices of the service '" + place + "/" + service + "' cannot be watched: "
                    + fault.getMessage() + ": check that the service account may get, list and watch endpointslices of"
                    + " discovery.k8s.io there"));
            return true; // try again
        });
        slices.addEventHandler(new ResourceEventHandler<EndpointSlice>() {
            @Override
            public void onAdd(EndpointSlice slice) {
                changed(slices, listener);
            }

            @Override
            public void onUpdate(EndpointSlice before, EndpointSlice now) {
                changed(slices, listener);
            }

            @Override
            public void onDelete(EndpointSlice slice, boolean stateUnknown) {
                changed(slices, listener);
            }

            @Override
            public void onNothing() {
                changed(slices, listener);
            }
        });
        var unused = slices.start().thenRun(() -> changed(slices, listener));
    }

    private void changed(SharedIndexInformer<EndpointSlice> slices, Listener listener) {
        if (!slices.hasSynced()) {
            return; // the first list is not whole yet; its end is told
        }
        tell(() -> {
            Collection<URI> servers;
            try {
                servers = addresses.of(slices.getStore().list());
            } catch (IllegalArgumentException e) {
                listener.failed("service '" + service + "': " + e.getMessage());
                return;
            }
            listener.found(servers);
        });
    }

    private synchronized void tell(Runnable news) {
        if (!closed) {
            news.run();
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (informer != null) {
            informer.stop();
        }
        if (client != null) {
            client.close();
        }
    }
}
