package io.glyphgate.proxy.boot;

import static io.glyphgate.proxy.boot.Stage.eventually;

import io.glyphgate.proxy.simulator.SimulatedServer;
import io.glyphgate.proxy.soak.Footprint;
import java.util.List;

/** What a proxy and its servers have open, against what they had when nothing went on. */
final class Leftovers {
    private final Proxy proxy;
    private final List<SimulatedServer> servers;
    private final int baseThreads;

    /** Counts what there is now. */
    Leftovers(Proxy proxy, List<SimulatedServer> servers) {
        this.proxy = proxy;
        this.servers = List.copyOf(servers);
        baseThreads = Footprint.countVirtualThreads() - 2 * openConnections();
    }

    private int openConnections() {
        return servers.stream().mapToInt(SimulatedServer::openConnections).sum();
    }

    /** How many requests servers are at work on. */
    int active() {
        return servers.stream().mapToInt(SimulatedServer::activeRequests).sum();
    }

    /** Waits until all is as at the start: requests, connections, threads, and what the proxy looks after. */
    void none() {
        eventually("nothing is in flight", () -> proxy.inFlight() == 0 && proxy.running() == 0);
        eventually("nothing is watched", () -> proxy.watched() == 0);
        eventually("no client is connected", () -> proxy.connections() == 0);
        eventually("no server is at work", () -> active() == 0);
        eventually("every connection to a server is idle", () -> openConnections() == proxy.idleConnections());
        eventually("no thread is left", () -> Footprint.countVirtualThreads() <= baseThreads + 2 * openConnections());
    }
}
