package io.glyphgate.bench;

import io.glyphgate.bench.Definitions.Scenario;
import io.glyphgate.bench.Definitions.Way;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.List;

/** Plays scenarios on systems, one at a time. */
final class Runner {
    private static final int MOST_SECONDS = 60;
    private static final long IDLE_NANOS = 3_000_000;

    /** How often paced traffic warms the proxy up: its compilers go on for long, and what they take is not a token's. */
    private static final int PACED_WARM_UPS = 6;

    private final Mock mock;
    private final Peers peers;

    Runner(Mock mock, Peers peers) {
        this.mock = mock;
        this.peers = peers;
    }

    /** Has the just-in-time compilers nearly done before anything is measured, and connections opened. */
    void warm(Way way) throws IOException {
        Measured first = run(way, traffic("warm-up", 16, 256, way.own() ? 240 : 16, way.ownEngine() ? 10_000 : 0));
        if (!first.good()) {
            throw new IOException(first.error());
        }
        for (int i = 0; way.own() && i < PACED_WARM_UPS; i++) {
            run(way, traffic("warm-up", 32, 64, 64, 5_000));
        }
    }

    private static Scenario traffic(String name, int clients, int tokens, int requests, int paceMicros) {
        return new Scenario(name, clients, tokens, requests, paceMicros, 0, false, true, List.of());
    }

    /** Asks as a scenario says, and measures the process. */
    Measured run(Way way, Scenario scenario) throws IOException {
        Peers.Started peer = peers.of(way, scenario.paceMicros());
        settle(peer.pid());
        Load.Group group = group(way, scenario, peer.port());
        Processes.Cpu before = Processes.cpu(peer.pid());
        long mockBefore = mock.cpuNanos();
        long clientBefore = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        Load.Seen seen = Load.run(group, MOST_SECONDS);
        long client = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - clientBefore;
        double cpu = Processes.cpu(peer.pid()).since(before) / 1000.0;
        double tokens = (double) seen.requests() * scenario.tokens();
        double wall = Math.max(1, seen.wallNanos());
        return new Measured(
                way.name(),
                scenario.name(),
                seen.requests(),
                seen.errors(),
                seen.error(),
                cpu / (scenario.batch() ? seen.requests() : tokens),
                tokens / wall * 1e9,
                seen.firstToken().millis(0.5),
                seen.firstToken().millis(0.99),
                seen.gaps().millis(0.5),
                seen.gaps().millis(0.99),
                Processes.rssMegabytes(peer.pid()),
                (mock.cpuNanos() - mockBefore) / wall,
                client / wall);
    }

    /** The clients of a scenario. */
    static Load.Group group(Way way, Scenario scenario, int port) {
        return new Load.Group(
                port,
                Requests.of(way, scenario, port),
                scenario.clients(),
                scenario.requests(),
                Requests.leastEvents(way, scenario));
    }

    /** Waits, for two seconds at most, until what was before is over. */
    private static void settle(long pid) throws IOException {
        for (int i = 0; i < 20; i++) {
            Processes.Cpu before = Processes.cpu(pid);
            Peers.sleep(100);
            if (Processes.cpu(pid).since(before) < IDLE_NANOS) {
                return;
            }
        }
    }
}
