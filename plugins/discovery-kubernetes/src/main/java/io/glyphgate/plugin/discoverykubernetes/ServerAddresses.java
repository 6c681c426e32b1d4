package io.glyphgate.plugin.discoverykubernetes;

import io.fabric8.kubernetes.api.model.discovery.v1.Endpoint;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointPort;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import java.net.URI;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Makes addresses of servers of EndpointSlices.
 *
 * @param scheme http or https
 * @param port the name or the number of the port; empty for the only one
 */
record ServerAddresses(String scheme, Optional<String> port) {
    /** A service with two families of addresses has slices of both, with the same pods: one is enough. */
    private static final List<String> FAMILIES = List.of("IPv4", "IPv6", "FQDN");

    /**
     * The addresses of the ready pods.
     *
     * @throws IllegalArgumentException if it is not clear which port is meant; the message says what to do
     */
    Collection<URI> of(Collection<EndpointSlice> slices) {
        TreeSet<URI> servers = new TreeSet<>();
        for (String family : FAMILIES) {
            for (EndpointSlice slice : slices) {
                if (family.equals(slice.getAddressType())) {
                    add(slice, servers);
                }
            }
            if (!servers.isEmpty()) {
                break;
            }
        }
        return servers;
    }

    private void add(EndpointSlice slice, Collection<URI> servers) {
        for (Endpoint endpoint : slice.getEndpoints()) {
            if (ready(endpoint) && !endpoint.getAddresses().isEmpty()) {
                // all addresses of one endpoint lead to the same pod
                String address = endpoint.getAddresses().getFirst();
                String host = address.contains(":") ? "[" + address + "]" : address;
                servers.add(URI.create(scheme + "://" + host + ":" + port(slice.getPorts())));
            }
        }
    }

    /** What is not said counts as ready, says the API. */
    private static boolean ready(Endpoint endpoint) {
        return endpoint.getConditions() == null || !Boolean.FALSE.equals(endpoint.getConditions().getReady());
    }

    private int port(List<EndpointPort> ports) {
        if (port.isPresent() && port.get().matches("[0-9]{1,5}")) {
            return Integer.parseInt(port.get());
        }
        List<EndpointPort> meant = ports.stream()
                .filter(candidate -> candidate.getPort() != null)
                .filter(candidate -> port.isEmpty() || port.get().equals(candidate.getName()))
                .toList();
        if (meant.size() != 1) {
            throw new IllegalArgumentException("the service has "
                    + (port.isEmpty() ? meant.size() + " ports" : "no port '" + port.get() + "'") + ", but these: "
                    + ports.stream().map(known -> known.getName() + " (" + known.getPort() + ")").toList()
                    + "; name one of them with the option port");
        }
        return meant.getFirst().getPort();
    }
}
