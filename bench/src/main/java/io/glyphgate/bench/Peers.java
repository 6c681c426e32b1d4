package io.glyphgate.bench;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/** The processes that are measured, started by the script {@code peers} and ended with this. */
final class Peers implements AutoCloseable {
    /** Which path is answered with 200 once requests are; /health by default. nginx passes it on. */
    private static final Map<String, String> READY = Map.of("glyphgate", "/ready", "smg", "/readiness");

    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

    /**
     * A process.
     *
     * @param port where it listens
     * @param process the process itself; what it started counts as it
     * @param readyNanos how long it took until it answered
     */
    record Started(int port, Process process, long readyNanos) {
        long pid() {
            return process.pid();
        }
    }

    private final Path script;
    private final Path folder;
    private final int upstream;
    private final Map<String, Started> started = new LinkedHashMap<>();
    /** All that were launched, those that are not shared too. */
    private final Queue<Process> launched = new ConcurrentLinkedQueue<>();

    /**
     * Nothing is started yet.
     *
     * @param script the script that starts them
     * @param folder where they may write
     * @param upstream the port of the server behind them
     */
    Peers(Path script, Path folder, int upstream) {
        this.script = script;
        this.folder = folder;
        this.upstream = upstream;
        // a run that is told to end leaves no process behind
        Runtime.getRuntime().addShutdownHook(new Thread(this::close, "end-peers"));
    }

    /** Which ones are installed. */
    Set<String> installed() throws IOException {
        Process process = new ProcessBuilder(script.toString(), "list")
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        return Set.copyOf(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).lines().toList());
    }

    /** A process, which is started if it does not run; those with an engine of their own run once for each pace. */
    Started of(Definitions.Way way, int paceMicros) throws IOException {
        String key = way.ownEngine() ? way.peer() + "-" + paceMicros : way.peer();
        Started known = started.get(key);
        if (known == null) {
            known = start(way.peer(), key, paceMicros, Map.of());
            started.put(key, known);
        }
        return known;
    }

    /** Starts one that is not shared; the caller ends it. */
    Started start(String peer, String name, int paceMicros, Map<String, String> environment) throws IOException {
        int port = freePort();
        Path own = Files.createDirectories(folder.resolve(name));
        int handshake = freePort();
        long began = System.nanoTime();
        Process process = launch("start", peer, own, environment, port, upstream, handshake, paceMicros);
        if (peer.equals("vllm-rs")) {
            await(peer, own, process, began, () -> listens(handshake)); // the engine tries for five seconds only
            launch("engine", peer, own, environment, port, upstream, handshake, paceMicros);
        }
        await(peer, own, process, began, () -> answers(port, READY.getOrDefault(peer, "/health")));
        return new Started(port, process, System.nanoTime() - began);
    }

    /** What a process must come to. */
    private interface Condition {
        boolean holds() throws IOException;
    }

    private static void await(String peer, Path own, Process process, long began, Condition condition) throws IOException {
        while (!condition.holds()) {
            if (!process.isAlive() || System.nanoTime() - began > PATIENCE_NANOS) {
                end(process);
                throw new IOException(peer + " did not start: see " + own.resolve("log"));
            }
            sleep(5);
        }
    }

    /** Whether a process of this machine listens on a port; found out without a connection. */
    private static boolean listens(int port) throws IOException {
        String address = String.format(":%04X 00000000:0000 0A", port);
        return Files.readString(Path.of("/proc/net/tcp")).contains(address);
    }

    private Process launch(String verb, String peer, Path own, Map<String, String> environment, int... numbers) throws IOException {
        List<String> command = new ArrayList<>(List.of(script.toString(), verb, peer, own.toString()));
        for (int number : numbers) {
            command.add(Integer.toString(number));
        }
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(own.resolve("log").toFile()));
        builder.environment().putAll(environment);
        Process process = builder.start();
        launched.add(process);
        return process;
    }

    /** Whether a GET is answered with 200. */
    static boolean answers(int port, String path) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(2000);
            socket.getOutputStream().write(Ascii.bytes("GET " + path + " HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n"));
            byte[] status = socket.getInputStream().readNBytes(12);
            return new String(status, StandardCharsets.US_ASCII).endsWith(" 200");
        } catch (IOException e) {
            return false; // not yet
        }
    }

    static void sleep(long millis) {
        try {
            TimeUnit.MILLISECONDS.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    /** Ends a process and waits for its end. */
    static void end(Process process) {
        List<ProcessHandle> children = process.descendants().toList();
        process.destroy();
        try {
            if (!process.waitFor(5, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor(5, TimeUnit.SECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        children.forEach(ProcessHandle::destroy);
    }

    @Override
    public void close() {
        launched.forEach(Peers::end);
    }
}
