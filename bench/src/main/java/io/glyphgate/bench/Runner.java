package io.glyphgate.bench;

import io.glyphgate.bench.Definitions.Scenario;
import io.glyphgate.bench.Definitions.Way;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.List;

/** Plays scenarios on systems, one at a time. */
final class Runner {
    private static final int MOST_SECONDS = 150;
    private static final long IDLE_NANOS = 3_000_000;

    /** The JVM's compilers count as done when they take less of the process's CPU time than this. */
    private static final double COMPILERS_DONE = 0.05;

    private static final int LEAST_WARM_UPS = 2;
    private static final int MOST_WARM_UPS = 12;

    private final Mock mock;
    private final Peers peers;

    Runner(Mock mock, Peers peers) {
        this.mock = mock;
        this.peers = peers;
    }

    /**
     * Opens connections, and has the proxy's just-in-time compilers do their work before anything is measured: what they take is not
     * a token's, and where a proxy serves for hours they are done soon.
     */
    void warm(Way way) throws IOException {
        Measured first = run(way, traffic(16, 256, way.own() ? 240 : 16, way.ownEngine() ? 10_000 : 0, false));
        if (!first.good()) {
            throw new IOException(first.error());
        }
        boolean done = !way.own();
        for (int i = 0; i < MOST_WARM_UPS && !done; i++) {
            long pid = peers.of(way, 0).pid();
            Processes.Cpu before = Processes.cpu(pid);
            long compilersBefore = Processes.compilerNanos(pid);
            run(way, traffic(32, 4, 3_000, 0, false));
            run(way, traffic(8, 32, 3_000, 0, true));
            run(way, traffic(32, 64, 64, 5_000, false));
            long compilers = Processes.compilerNanos(pid) - compilersBefore;
            done = i + 1 >= LEAST_WARM_UPS && compilers < COMPILERS_DONE * Processes.cpu(pid).since(before);
        }
    }

    private static Scenario traffic(int clients, int tokens, int requests, int paceMicros, boolean batch) {
        return new Scenario("warm-up", clients, tokens, requests, paceMicros, 0, batch, true, List.of());
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
