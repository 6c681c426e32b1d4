package io.glyphgate.proxy.openai;

import io.glyphgate.proxy.generate.Client;
import io.glyphgate.proxy.generate.FailedException;
import io.glyphgate.proxy.generate.Generate;
import io.glyphgate.proxy.generate.Inquiry;
import io.glyphgate.proxy.wire.Answer;
import io.glyphgate.proxy.wire.Dialect;
import io.glyphgate.proxy.wire.Failure;
import io.glyphgate.proxy.wire.JsonOut;
import io.glyphgate.proxy.wire.MalformedJsonException;
import io.glyphgate.proxy.wire.ServerTexts;
import io.glyphgate.proxy.wire.Sse;
import io.glyphgate.proxy.wire.SseReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The client of a chat or completion whose tokens this proxy cannot read: what a server says in tokens is read by a server that
 * renders, and goes from there to the client. A stream goes there event by event, so a client that reads slowly slows both down.
 */
final class DerenderingClient implements Client {
    private static final int LARGEST_EVENT = 64 << 20;

    private final Client client;
    private final Generate generate;
    private final Inquiry servers;
    private final String path;
    private final ServerTexts texts;
    private final Head head;
    private final int[] prompt;

    /**
     * What stands between a client and its generate request.
     *
     * @param client the one who gets the answer
     * @param generate tells it of failures
     * @param servers who is asked to read
     * @param path the door there
     * @param texts what is asked
     * @param head the ID and the model that the client knows
     * @param prompt the tokens of the prompt
     */
    DerenderingClient(
            Client client, Generate generate, Inquiry servers, String path, ServerTexts texts, Head head, int[] prompt) {
        this.client = client;
        this.generate = generate;
        this.servers = servers;
        this.path = path;
        this.texts = texts;
        this.head = head;
        this.prompt = prompt;
    }

    @Override
    public Optional<String> header(String name) {
        return client.header(name);
    }

    @Override
    public Dialect dialect() {
        return client.dialect();
    }

    @Override
    public boolean gone() {
        return client.gone();
    }

    @Override
    public void linger(Duration delay) {
        client.linger(delay);
    }

    @Override
    public void answer(int status, Map<String, String> headers, byte[] body) {
        if (status != 200) {
            client.answer(status, headers, body);
            return;
        }
        byte[] answer;
        try {
            answer = ServerTexts.identified(
                    servers.post(path, model -> texts.derender(model, prompt, body)), head.id(), head.model());
        } catch (RuntimeException e) {
            generate.refuse(e, Optional.ofNullable(headers.get("X-Request-Id")), client);
            return;
        }
        client.answer(200, headers, answer);
    }

    @Override
    public EventStream stream(Map<String, String> headers) {
        return new DerenderingStream(client.stream(headers));
    }

    /** A stream whose events are read by a server. What it throws ends the generate request, as any fault in mid-stream does. */
    private final class DerenderingStream implements EventStream {
        private final EventStream out;
        private final Answer answer = new Answer();
        /** What the next event of each choice needs. */
        private final Map<Integer, byte[]> states = new HashMap<>();

        DerenderingStream(EventStream out) {
            this.out = out;
        }

        @Override
        public void write(byte[] bytes, int from, int to) {
            SseReader events = new SseReader(new ByteArrayInputStream(bytes, from, to - from), LARGEST_EVENT);
            try {
                while (events.next()) {
                    event(events);
                }
            } catch (IOException e) {
                throw new FailedException(
                        Failure.of(502, "upstream-bad-answer", "", "The server's stream cannot be read: " + e.getMessage() + "."), e);
            }
        }

        private void event(SseReader event) throws MalformedJsonException {
            if (event.done()) {
                out.write(Sse.DONE, 0, Sse.DONE.length);
                return;
            }
            answer.scan(event.data(), event.dataFrom(), event.dataTo());
            if (answer.hasError()) {
                out.write(event.raw(), event.rawFrom(), event.rawTo());
                return;
            }
            int choices = answer.choiceCount();
            for (int i = 0; i < Math.max(1, choices); i++) {
                pass(event, i, choices);
            }
        }

        /** Passes one choice of an event on: each is a stream of its own. */
        private void pass(SseReader event, int choice, int choices) throws MalformedJsonException {
            byte[] chunk = Arrays.copyOfRange(event.data(), event.dataFrom(), event.dataTo());
            if (choices > 1) {
                answer.scan(chunk, 0, chunk.length);
                for (int i = 0; i < choices; i++) {
                    if (i != choice) {
                        answer.choice(i).edit().drop();
                    }
                }
                JsonOut one = new JsonOut(chunk.length + 16);
                answer.write(one, "tokens", null);
                chunk = one.toByteArray();
            }
            int index = choices == 0 ? -1 : answer.choice(choice).index();
            ServerTexts.Chunk read = derendered(chunk, states.get(index));
            if (choices > 0) {
                states.put(index, read.state());
            }
            JsonOut bytes = new JsonOut(read.chunk().length + 16);
            bytes.bytes(Sse.DATA).bytes(read.chunk()).bytes(Sse.END);
            out.write(bytes.buffer(), 0, bytes.length());
        }

        private ServerTexts.Chunk derendered(byte[] chunk, byte @Nullable [] state) {
            byte[] said = servers.post(path, model -> texts.derenderChunk(model, prompt, chunk, state));
            return ServerTexts.chunk(said, head.id(), head.model());
        }

        @Override
        public void flush() {
            out.flush();
        }

        @Override
        public void failed() {
            out.failed();
        }

        @Override
        public boolean end() {
            return out.end();
        }
    }
}
