package io.glyphgate.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * What clients do today in place of output_mode: they take a stream of tokens from {@code /inference/v1/generate}, and send each chunk of
 * it to {@code /v1/completions/derender} or {@code /v1/chat/completions/derender}, with the state that the answer before brought.
 */
final class TwoSteps {
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final byte[] DATA = Ascii.bytes("data: ");

    /** How many streams at a time, of how many tokens each. */
    record Size(int clients, int tokens) {
        /** Of {@code 8x2048}. */
        static Size of(String text) {
            String[] numbers = text.split("x", 2);
            if (numbers.length == 1) {
                throw new IllegalArgumentException("'" + text + "' is no size: say streams x tokens, such as 8x2048");
            }
            return new Size(Integer.parseInt(numbers[0]), Integer.parseInt(numbers[1]));
        }

        @Override
        public String toString() {
            return clients + "x" + tokens;
        }
    }

    /**
     * What clients saw.
     *
     * @param firstText from a request to the first text of it
     * @param gaps between texts
     * @param tokens how many tokens all of them got
     */
    record Seen(Samples firstText, Samples gaps, int tokens) {
        private void add(Seen other) {
            firstText.addAll(other.firstText);
            gaps.addAll(other.gaps);
        }
    }

    private final int generatePort;
    private final byte[] generate;
    private final List<URI> doors;
    private final String model;

    /**
     * Clients.
     *
     * @param generatePort where streams of tokens come from
     * @param generate the request for one
     * @param doors the addresses of doors that make text of chunks; each gets its share of the clients
     * @param model the model's name there
     */
    TwoSteps(int generatePort, byte[] generate, List<URI> doors, String model) {
        this.generatePort = generatePort;
        this.generate = generate;
        this.doors = doors;
        this.model = model;
    }

    /** As many streams at a time, each to its end. */
    Seen run(int clients) throws IOException {
        Seen all = new Seen(new Samples(), new Samples(), 0);
        int tokens = 0;
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Seen>> running = new ArrayList<>();
            for (int i = 0; i < clients; i++) {
                URI door = doors.get(i % doors.size());
                running.add(threads.submit(() -> one(door)));
            }
            for (Future<Seen> client : running) {
                Seen seen = client.get();
                all.add(seen);
                tokens += seen.tokens;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } catch (ExecutionException e) {
            throw new IOException("a client failed: " + e.getCause(), e);
        }
        return new Seen(all.firstText, all.gaps, tokens);
    }

    private Seen one(URI door) throws IOException {
        Seen seen = new Seen(new Samples(), new Samples(), 0);
        int tokens = 0;
        try (Socket stream = new Socket(InetAddress.getLoopbackAddress(), generatePort);
                Socket texts = new Socket(door.getHost(), door.getPort())) {
            stream.setTcpNoDelay(true);
            texts.setTcpNoDelay(true);
            long last = System.nanoTime();
            stream.getOutputStream().write(generate);
            InputStream in = stream.getInputStream();
            JsonNode state = JSON.nullNode();
            for (String event = event(in); !event.isEmpty(); event = event(in)) {
                state = derender(door, texts, JSON.readTree(event), state);
                long now = System.nanoTime();
                (tokens++ == 0 ? seen.firstText : seen.gaps).add(now - last);
                last = now;
            }
        }
        return new Seen(seen.firstText, seen.gaps, tokens);
    }

    /** The data of the next event; empty at the end mark. The mock sends each event as one chunk. */
    private static String event(InputStream in) throws IOException {
        for (String line = line(in); ; line = line(in)) {
            if (line.startsWith("data: ")) {
                String data = line.substring(DATA.length);
                return data.equals("[DONE]") ? "" : data;
            }
        }
    }

    private static String line(InputStream in) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int b = in.read(); b != '\n'; b = in.read()) {
            if (b < 0) {
                throw new IOException("the stream ended without an end mark");
            }
            if (b != '\r') {
                line.write(b);
            }
        }
        return line.toString(StandardCharsets.UTF_8);
    }

    private JsonNode derender(URI door, Socket texts, JsonNode event, JsonNode state) throws IOException {
        ObjectNode body = JSON.createObjectNode();
        body.put("stream", true).put("model", model).put("prompt_tokens", Requests.PROMPT_LENGTH);
        body.set("prompt_token_ids", JSON.readTree(Requests.PROMPT));
        body.set("stream_state", state);
        ObjectNode chunk = body.putObject("generate_chunk");
        chunk.set("request_id", event.path("request_id"));
        ObjectNode choice = chunk.putArray("choices").addObject();
        JsonNode from = event.path("choices").path(0);
        choice.put("index", 0).set("token_ids", from.path("token_ids"));
        choice.set("finish_reason", from.path("finish_reason"));
        if (door.getPath().contains("chat")) {
            body.set("chat_request", JSON.readTree("{\"model\":\"" + model + "\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}],"
                    + "\"stream\":true," + Requests.TOOLS + "}"));
        }
        texts.getOutputStream().write(Requests.post(door.getPath(), body.toString(), door.getPort()));
        return answer(texts.getInputStream()).path("stream_state");
    }

    private static JsonNode answer(InputStream in) throws IOException {
        String status = line(in);
        int length = 0;
        for (String header = line(in); !header.isEmpty(); header = line(in)) {
            if (header.toLowerCase(Locale.ROOT).startsWith("content-length:")) {
                length = Integer.parseInt(header.substring(15).strip());
            }
        }
        byte[] body = in.readNBytes(length);
        if (!status.contains(" 200")) {
            throw new IOException(status + ": " + new String(body, StandardCharsets.UTF_8));
        }
        return JSON.readTree(body);
    }
}
