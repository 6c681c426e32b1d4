package io.glyphgate.distribution;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A command of the launcher that listens until it is told to stop. */
final class Service implements AutoCloseable {
    private static final Pattern LISTENING = Pattern.compile("listens on (?:port |http://[^:]+:)(\\d+)");

    private final Process process;
    private final List<String> lines = Collections.synchronizedList(new ArrayList<>());
    private final CompletableFuture<URI> uri = new CompletableFuture<>();

    private Service(Process process) {
        this.process = process;
    }

    /** Starts it, and waits until it says where it listens. */
    static Service start(Installation installation, String... arguments) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(
                        Stream.concat(Stream.of(installation.launcher().toString()), Stream.of(arguments))
                                .toList())
                .directory(installation.home().toFile())
                .redirectErrorStream(true);
        if (arguments[0].equals("serve") && !Files.readString(Path.of(arguments[2])).contains("drain-delay")) {
            builder.environment().put("GLYPHGATE_SERVER_DRAIN_DELAY", "0s"); // no load balancer is before it
        }
        Process process = builder.start();
        Service service = new Service(process);
        Thread.ofVirtual().start(service::read);
        try {
            service.uri.get(30, TimeUnit.SECONDS);
            return service;
        } catch (ExecutionException | TimeoutException e) {
            service.close();
            throw new AssertionError(
                    String.join(" ", arguments) + " does not listen; it wrote:\n" + String.join("\n", service.lines), e);
        }
    }

    /** Where it listens. */
    URI uri() {
        return uri.join();
    }

    /** Posts JSON to it. */
    Answer post(String path, String json) throws IOException, InterruptedException {
        return exchange(HttpRequest.newBuilder(uri().resolve(path))
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(json)));
    }

    /** Asks it for something. */
    Answer get(String path) throws IOException, InterruptedException {
        return exchange(HttpRequest.newBuilder(uri().resolve(path)));
    }

    private static Answer exchange(HttpRequest.Builder request) throws IOException, InterruptedException {
        try (HttpClient client = HttpClient.newHttpClient()) {
            HttpResponse<String> response =
                    client.send(request.timeout(Duration.ofSeconds(30)).build(), BodyHandlers.ofString());
            return new Answer(
                    response.statusCode(), response.headers().firstValue("Content-Type").orElse(""), response.body());
        }
    }

    /** Sends it a signal. */
    void signal(String name) throws IOException, InterruptedException {
        Process kill = new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid())).start();
        if (kill.waitFor() != 0) {
            throw new AssertionError("the signal " + name + " could not be sent");
        }
    }

    /** Waits until it has written a line that contains a text. */
    void awaitLine(String text) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!String.join("\n", List.of(lines.toArray(String[]::new))).contains(text)) {
            if (System.nanoTime() > end) {
                throw new AssertionError("it does not write '" + text + "'; it wrote:\n" + String.join("\n", lines));
            }
            Thread.sleep(10);
        }
    }

    /** Waits until it has ended; its exit status. */
    int awaitEnd() {
        try {
            return process.onExit().orTimeout(30, TimeUnit.SECONDS).join().exitValue();
        } catch (CompletionException e) {
            throw new AssertionError("it goes on; it wrote:\n" + String.join("\n", lines), e);
        }
    }

    private void read() {
        try (BufferedReader output = process.inputReader()) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                lines.add(line);
                Matcher matcher = LISTENING.matcher(line);
                if (matcher.find()) {
                    uri.complete(URI.create("http://127.0.0.1:" + matcher.group(1)));
                }
            }
            uri.completeExceptionally(new IOException("it has ended"));
        } catch (IOException e) {
            uri.completeExceptionally(e);
        }
    }

    /** Stops it, and waits until it is gone. */
    @Override
    public void close() {
        process.destroy();
        try {
            process.onExit().orTimeout(20, TimeUnit.SECONDS).join();
        } catch (CompletionException e) {
            process.destroyForcibly();
            throw new AssertionError("told to stop, it goes on; it wrote:\n" + String.join("\n", lines), e);
        }
    }
}
