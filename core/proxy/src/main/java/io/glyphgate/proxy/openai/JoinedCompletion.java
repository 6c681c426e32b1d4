package io.glyphgate.proxy.openai;

import io.glyphgate.proxy.generate.Client;
import io.glyphgate.proxy.generate.ClientGoneException;
import io.glyphgate.proxy.generate.Generate;
import io.glyphgate.proxy.generate.Plan;
import io.glyphgate.proxy.wire.JsonOut;
import io.glyphgate.proxy.wire.OutputWishes;
import io.glyphgate.proxy.wire.Sse;
import io.glyphgate.proxy.wire.Usage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Joins the answers to the prompts of one completion. Each prompt is a generate request that a thread of its own carries, as all
 * at once as vLLM would; what they say goes to the one client. What goes wrong with one is the answer, or the last event of the
 * stream, and ends the others as a client that leaves would: their servers stop, and prompts that were handed over are released.
 */
final class JoinedCompletion {
    private final Head head;
    private final OutputWishes wishes;
    private final ReentrantLock lock = new ReentrantLock();
    private final SortedMap<Integer, byte[]> answers = new TreeMap<>();
    private final List<Thread> threads = new ArrayList<>();
    /** How long each part wants to go on when the client has left. Guarded by itself: the other lock is held while a client is slow. */
    private final Map<Integer, Duration> lingering = new HashMap<>();
    private Map<String, String> headers = Map.of();
    private Client.@Nullable EventStream stream;
    private boolean written;
    private volatile boolean failed;
    private @Nullable Refusal refusal;
    /** Whether the refusal is in the stream already. */
    private boolean told;
    private int promptTokens;
    private int completionTokens;

    /** An answer to come. */
    JoinedCompletion(Head head, OutputWishes wishes) {
        this.head = head;
        this.wishes = wishes;
    }

    /** The answer that ends all. */
    private record Refusal(int status, Map<String, String> headers, byte[] body) {}

    /** Asks servers for all prompts, and answers the client. */
    void serve(List<Plan> plans, Generate generate, Client client) {
        for (int i = 0; i < plans.size(); i++) {
            Plan plan = plans.get(i);
            Part part = new Part(i, client);
            threads.add(Thread.ofVirtual().name("prompt-" + i).unstarted(() -> carry(plan, part, generate)));
        }
        threads.forEach(Thread::start);
        await();
        finish(client);
    }

    private void carry(Plan plan, Part part, Generate generate) {
        try {
            serve(plan, part, generate);
        } catch (ClientGoneException e) {
            if (part.client.gone()) {
                stopOthers(); // else another part has failed and has done so, and must not be disturbed when it tells of it
            }
        } finally {
            part.linger(Duration.ZERO);
        }
    }

    private static void serve(Plan plan, Part part, Generate generate) {
        try {
            generate.serve(plan, part);
        } catch (ClientGoneException e) {
            throw e;
        } catch (RuntimeException e) {
            generate.refuse(e, plan.headerId(), part); // an answer without this part would look whole
        }
    }

    private void await() {
        for (Thread thread : threads) {
            while (thread.isAlive()) {
                try {
                    thread.join();
                } catch (InterruptedException e) {
                    threads.forEach(Thread::interrupt); // the client has left, or the proxy is stopped
                }
            }
        }
    }

    /** What one part wants, no other may take back: all go on as long as the longest. */
    private void linger(int part, Duration delay, Client client) {
        synchronized (lingering) {
            lingering.put(part, delay);
            client.linger(Collections.max(lingering.values()));
        }
    }

    /** Ends all other parts; one that wants to go on for a while is let go on for so long. */
    private void stopOthers() {
        Map<Integer, Duration> delays;
        synchronized (lingering) {
            delays = Map.copyOf(lingering);
        }
        for (int i = 0; i < threads.size(); i++) {
            Thread thread = threads.get(i);
            Duration delay = delays.getOrDefault(i, Duration.ZERO);
            if (thread == Thread.currentThread()) {
                continue; // it has to tell the client
            }
            if (delay.isZero()) {
                thread.interrupt();
            } else {
                var unused = Thread.ofVirtual().name("prompt-stop-" + i).start(() -> stop(thread, delay));
            }
        }
    }

    private static void stop(Thread thread, Duration delay) {
        try {
            if (!thread.join(delay)) {
                thread.interrupt();
            }
        } catch (InterruptedException e) {
            throw new AssertionError("nobody knows this thread", e);
        }
    }

    private void finish(Client client) {
        if (client.gone()) {
            throw new ClientGoneException(null);
        }
        JsonOut out = new JsonOut(4096);
        if (stream != null && stream.end()) { // a comment may have been sent, and nothing else
            if (refusal != null && !told) {
                out.bytes(Sse.DATA).bytes(refusal.body).bytes(Sse.END);
            } else if (!failed && wishes.includeUsage()) {
                CompletionForm.usageEvent(head, usage(), Map.of(), out);
            }
            out.bytes(Sse.DONE);
            stream.write(out.buffer(), 0, out.length());
            stream.flush();
            return;
        }
        if (refusal != null) {
            client.answer(refusal.status, refusal.headers, refusal.body);
            return;
        }
        head.begin(CompletionForm.OBJECT, out);
        out.name("choices").beginArray();
        answers.values().forEach(choices -> out.rawValue(choices, 0, choices.length));
        out.endArray();
        CompletionForm.tail(head, usage(), Map.of(), null, null, null, out);
        client.answer(200, headers, out.toByteArray());
    }

    private Usage usage() {
        return new Usage(promptTokens, completionTokens);
    }

    /** Counts what one prompt took. */
    void count(Usage usage) {
        lock.lock();
        try {
            promptTokens += usage.promptTokens();
            completionTokens += usage.completionTokens();
        } finally {
            lock.unlock();
        }
    }

    /** The client of one prompt's request. */
    private final class Part implements Client {
        private final int part;
        private final Client client;

        Part(int part, Client client) {
            this.part = part;
            this.client = client;
        }

        @Override
        public Optional<String> header(String name) {
            return client.header(name);
        }

        @Override
        public boolean gone() {
            return failed || client.gone();
        }

        @Override
        public void linger(Duration delay) {
            JoinedCompletion.this.linger(part, delay, client);
        }

        @Override
        public void answer(int status, Map<String, String> answerHeaders, byte[] body) {
            lock.lock();
            try {
                if (status == 200) {
                    headers = answerHeaders;
                    answers.put(part, body);
                } else {
                    fail(status, answerHeaders, body);
                }
            } finally {
                lock.unlock();
            }
        }

        private void fail(int status, Map<String, String> answerHeaders, byte[] body) {
            if (failed) {
                return;
            }
            failed = true;
            refusal = new Refusal(status, answerHeaders, body);
            if (stream != null && written) {
                JsonOut event = new JsonOut(body.length + 16);
                event.bytes(Sse.DATA).bytes(body).bytes(Sse.END);
                stream.write(event.buffer(), 0, event.length());
                told = true;
            }
            stopOthers();
        }

        @Override
        public EventStream stream(Map<String, String> streamHeaders) {
            lock.lock();
            try {
                if (stream == null) {
                    stream = client.stream(streamHeaders);
                }
                return new PartStream(stream);
            } finally {
                lock.unlock();
            }
        }
    }

    /** What one prompt's request adds to the stream: all but its end mark. */
    private final class PartStream implements Client.EventStream {
        private final Client.EventStream all;
        private boolean wrote;
        /** Whether it is this part that has failed. */
        private boolean mine;

        PartStream(Client.EventStream all) {
            this.all = all;
        }

        @Override
        public void write(byte[] bytes, int from, int to) {
            boolean marked = to - from >= Sse.DONE.length
                    && Arrays.equals(bytes, to - Sse.DONE.length, to, Sse.DONE, 0, Sse.DONE.length);
            int end = marked ? to - Sse.DONE.length : to;
            if (end == from) {
                return;
            }
            lock.lock();
            try {
                checkOthers();
                all.write(bytes, from, end);
                written = true;
                wrote = true;
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void flush() {
            lock.lock();
            try {
                checkOthers();
                if (written) {
                    all.flush();
                }
            } finally {
                lock.unlock();
            }
        }

        /** Behind the failure of another part nothing comes; this one is being interrupted, and would close the connection. */
        private void checkOthers() {
            if (failed && !mine) {
                throw new ClientGoneException(null);
            }
        }

        @Override
        public void failed() {
            lock.lock();
            try {
                if (!failed) {
                    failed = true;
                    mine = true;
                    stopOthers();
                }
            } finally {
                lock.unlock();
            }
        }

        @Override
        public boolean end() {
            return wrote;
        }
    }
}
