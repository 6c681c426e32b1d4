package io.glyphgate.bench;

import io.glyphgate.bench.Definitions.Scenario;
import io.glyphgate.bench.Definitions.Way;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** What is measured once, and not as a scenario on every system: of the proxy only. */
final class Experiments {
    private static final int STREAMS = 2_000;
    private static final int IDLE_CLIENTS = 10_000;
    /** How long a derender door gets traffic before it is measured: it may be a JVM's. */
    private static final long WARM_NANOS = 20_000_000_000L;
    /** How far behind its server a door may be expected to fall, in seconds. */
    private static final double MOST_LATE = 300;

    private final Peers peers;
    private final Results results;
    private final List<Way> ways;

    Experiments(Peers peers, Results results, List<Way> ways) {
        this.peers = peers;
        this.results = results;
        this.ways = ways;
    }

    private Way way(String name) {
        return ways.stream().filter(way -> way.name().equals(name)).findFirst().orElseThrow();
    }

    private static Scenario traffic(int clients, int tokens, int requests, int paceMicros) {
        return new Scenario("", clients, tokens, requests, paceMicros, 0, false, true, List.of());
    }

    private static Load.Seen checked(Load.Seen seen) throws IOException {
        if (seen.errors() > 0) {
            throw new IOException(seen.errors() + " answers were not what they should be: " + seen.error());
        }
        return seen;
    }

    /** Starts the proxy anew, some times: with all that it keeps from the first start. */
    void start(int times) throws IOException {
        for (int i = 0; i <= times; i++) {
            Peers.Started started = peers.start("glyphgate", "start", 0, Map.of());
            try {
                String prefix = i == 0 ? "first-start." : "start.";
                results.fact(prefix + "seconds", started.readyNanos() / 1e9);
                results.fact(prefix + "cpu-seconds", Processes.cpu(started.pid()).ticks() / 1e9);
                results.fact(prefix + "rss", Processes.rssMegabytes(started.pid()));
                if (i > 0) {
                    cold(started);
                }
            } finally {
                Peers.end(started.process());
            }
        }
        Peers.Started bare = peers.start("glyphgate", "bare", 0, Map.of("BENCH_CONFIG", "glyphgate-bare.yaml"));
        try {
            results.fact("bare.rss", Processes.rssMegabytes(bare.pid()));
            results.fact("bare.seconds", bare.readyNanos() / 1e9);
        } finally {
            Peers.end(bare.process());
        }
    }

    /** What a token costs in the first seconds, the JVM's compilers at work: 32 streams of 256, a token every 10 ms. */
    private void cold(Peers.Started started) throws IOException {
        Scenario first = traffic(32, 256, 32, 10_000);
        Processes.Cpu before = Processes.cpu(started.pid());
        Load.Seen seen = checked(Load.run(Runner.group(way("text"), first, started.port()), 30));
        results.fact("cold.text.us-per-token", Processes.cpu(started.pid()).since(before) / 1000.0 / (256 * seen.requests()));
    }

    /** CPU time without traffic. */
    void idle() throws IOException {
        Peers.Started peer = peers.of(way("text"), 0);
        Peers.sleep(1000);
        Processes.Cpu before = Processes.cpu(peer.pid());
        long began = System.nanoTime();
        Peers.sleep(5000);
        results.fact("idle.percent", 100.0 * Processes.cpu(peer.pid()).since(before) / (System.nanoTime() - began));
        results.fact("rss", Processes.rssMegabytes(peer.pid()));
    }

    /**
     * Bytes that one more token allocates: long answers against short ones, as many of them, without what the proxy allocates meanwhile
     * whether it serves or not.
     */
    void allocation(int times) throws IOException {
        int port = peers.of(way("text"), 0).port();
        try (Heap heap = new Heap(peers.of(way("text"), 0).pid())) {
            double idle = idle(heap);
            results.fact("allocated.idle-per-second", idle * 1e9);
            for (String name : List.of("tokens", "text", "derender", "derender:coder", "derender:python", "chat")) {
                for (int i = 0; i < times; i++) {
                    double few = allocated(heap, idle, way(name), port, 256);
                    double many = allocated(heap, idle, way(name), port, 2048);
                    results.fact("allocated." + name, (many - few) / (16.0 * (2048 - 256)));
                    results.fact("allocated-per-request." + name, (few - (many - few) / (2048.0 - 256) * 256) / 16.0);
                }
            }
        }
    }

    /** Bytes in a nanosecond without any traffic. */
    private static double idle(Heap heap) throws IOException {
        long began = System.nanoTime();
        long before = heap.allocated();
        Peers.sleep(5000);
        return (heap.allocated() - before) / (double) (System.nanoTime() - began);
    }

    private static double allocated(Heap heap, double idle, Way way, int port, int tokens) throws IOException {
        long began = System.nanoTime();
        long before = heap.allocated();
        checked(Load.run(Runner.group(way, traffic(16, tokens, 16, 500), port), 30));
        return heap.allocated() - before - idle * (System.nanoTime() - began);
    }

    /** Memory with many streams, and with many clients that ask nothing. */
    void many() throws IOException {
        Peers.Started peer = peers.of(way("text"), 0);
        double before = Processes.rssMegabytes(peer.pid());
        Scenario slow = traffic(STREAMS, 16, STREAMS, 500_000);
        CompletableFuture<Load.Seen> load = CompletableFuture.supplyAsync(() -> {
            try {
                return Load.run(Runner.group(way("text"), slow, peer.port()), 60);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        double most = before;
        while (!load.isDone()) {
            Peers.sleep(250);
            most = Math.max(most, Processes.rssMegabytes(peer.pid()));
        }
        Load.Seen seen = load.join();
        results.fact("many.streams", seen.requests());
        results.fact("many.streams-errors", seen.errors());
        results.fact("many.streams-growth", most - before);
        results.fact("many.streams-gap-p99", seen.gaps().millis(0.99));
        idleClients(peer);
    }

    private void idleClients(Peers.Started peer) throws IOException {
        double before = Processes.rssMegabytes(peer.pid());
        List<SocketChannel> clients = new ArrayList<>();
        ByteBuffer answer = ByteBuffer.allocate(4096);
        try {
            for (int i = 0; i < IDLE_CLIENTS; i++) {
                SocketChannel client = SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), peer.port()));
                clients.add(client);
                client.write(ByteBuffer.wrap(Ascii.bytes("GET /health HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n")));
                if (client.read(answer.clear()) <= 0) {
                    throw new IOException("the connection of client " + i + " was closed");
                }
            }
            Peers.sleep(500);
            results.fact("many.clients", clients.size());
            results.fact("many.clients-growth", Processes.rssMegabytes(peer.pid()) - before);
            Processes.Cpu cpu = Processes.cpu(peer.pid());
            Peers.sleep(10_000);
            results.fact("many.clients-idle-percent", Processes.cpu(peer.pid()).since(cpu) / 10e9 * 100);
        } finally {
            for (SocketChannel client : clients) {
                client.close();
            }
        }
    }

    /** Gaps of streams of tokens, alone and beside as many, and twice as many, streams that are translated. */
    void mixed(int times) throws IOException {
        int port = peers.of(way("text"), 0).port();
        Load.Group tokens = Runner.group(way("tokens"), traffic(32, 256, 32, 10_000), port);
        for (int i = 0; i < times; i++) {
            gaps("mixed.alone", checked(Load.run(tokens, 30)));
            for (String name : List.of("text", "derender")) {
                for (int share : new int[] {1, 2}) {
                    Load.Group others = Runner.group(way(name), traffic(32 * share, 256, 32 * share, 10_000), port);
                    List<Load.Seen> seen = Load.run(List.of(tokens, others), 30);
                    checked(seen.getLast());
                    gaps("mixed.beside-" + share + "-" + name, checked(seen.getFirst()));
                }
            }
        }
    }

    private void gaps(String name, Load.Seen seen) throws IOException {
        results.fact(name + ".gap-p50", seen.gaps().millis(0.5));
        results.fact(name + ".gap-p99", seen.gaps().millis(0.99));
    }

    /**
     * What clients do without output modes: a stream of tokens, and a request to a door for text per chunk.
     *
     * @param doors the addresses of doors of one kind, which share the streams
     * @param pids the processes behind them; if there are none, their CPU time is not measured
     * @param sizes what to measure, however long it takes; if there are none, all that the docs show but where the door is
     *     certain to fall far behind
     */
    void twoSteps(List<URI> doors, List<Long> pids, List<TwoSteps.Size> sizes) throws IOException {
        int port = peers.of(way("tokens"), 0).port();
        Scenario flat = traffic(32, 64, 32, 0);
        long warm = System.nanoTime() + WARM_NANOS;
        while (System.nanoTime() < warm) {
            new TwoSteps(port, Requests.of(way("tokens"), flat, port), doors, "hermes").run(flat.clients());
        }
        for (TwoSteps.Size size : sizes) {
            twoSteps(doors, pids, port, size);
        }
        if (!sizes.isEmpty()) {
            return;
        }
        for (int clients : new int[] {1, 8, 32, 128}) {
            double late = 0; // in seconds, at the length before
            for (int tokens : new int[] {32, 256, 2048}) {
                // a door that reads again all that came before falls behind with the square of the length
                if (late * 64 <= MOST_LATE) {
                    late = twoSteps(doors, pids, port, new TwoSteps.Size(clients, tokens));
                }
            }
        }
    }

    /** How many seconds the doors were behind at the end. */
    private double twoSteps(List<URI> doors, List<Long> pids, int port, TwoSteps.Size size) throws IOException {
        int clients = size.clients();
        Scenario scenario = traffic(clients, size.tokens(), clients, clients == 128 ? 40_000 : 10_000);
        List<Processes.Cpu> before = new ArrayList<>();
        for (long pid : pids) {
            before.add(Processes.cpu(pid));
        }
        long begun = System.nanoTime();
        TwoSteps.Seen seen =
                new TwoSteps(port, Requests.of(way("tokens"), scenario, port), doors, "hermes").run(clients);
        double seconds = (System.nanoTime() - begun) / 1e9;
        String name = "two-steps." + (doors.getFirst().getPath().contains("chat") ? "chat" : "text") + "." + size;
        if (!pids.isEmpty()) {
            double nanos = 0;
            for (int i = 0; i < pids.size(); i++) {
                nanos += Processes.cpu(pids.get(i)).since(before.get(i));
            }
            results.fact(name + ".cpu-us-a-token", nanos / 1e3 / seen.tokens());
        }
        results.fact(name + ".ttft-p50", seen.firstText().millis(0.5));
        results.fact(name + ".ttft-p99", seen.firstText().millis(0.99));
        results.fact(name + ".gap-p50", seen.gaps().millis(0.5));
        results.fact(name + ".gap-p99", seen.gaps().millis(0.99));
        results.fact(name + ".seconds", seconds);
        return seconds - size.tokens() * scenario.paceMicros() / 1e6;
    }

    /** Gaps of 128 streams, without and beside a client that stopped reading. */
    void stalledReader(int times) throws IOException {
        Way text = way("text");
        int port = peers.of(text, 0).port();
        Load.Group others = Runner.group(text, traffic(128, 64, 128, 40_000), port);
        for (int i = 0; i < times; i++) {
            results.fact("stall.gap-p99-without", checked(Load.run(others, 30)).gaps().millis(0.99));
            try (Socket stalled = new Socket()) {
                stalled.setReceiveBufferSize(4096);
                stalled.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
                stalled.getOutputStream().write(Requests.of(text, traffic(1, 32_000, 1, 0), port));
                if (stalled.getInputStream().read() != 'H') {
                    throw new IOException("the stream that is to stall did not begin");
                }
                Peers.sleep(500);
                results.fact("stall.gap-p99-beside", checked(Load.run(others, 30)).gaps().millis(0.99));
            }
        }
    }
}
