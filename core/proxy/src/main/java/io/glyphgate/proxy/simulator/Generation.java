package io.glyphgate.proxy.simulator;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.glyphgate.proxy.choice.EngineFinish;
import io.glyphgate.proxy.simulator.AnswerWriter.Part;
import io.glyphgate.proxy.simulator.Script.Candidate;
import io.glyphgate.proxy.simulator.Script.Output;
import io.glyphgate.spi.Tokenizer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Plays one generate request: the tokens in their time, and the answer while or after they come. */
final class Generation {
    private final GenerateCall call;
    private final SimulatorOptions options;
    private final String requestId;
    private final KvSide kv;
    private final ActiveRequest active;
    private final Reply reply;
    private final AnswerWriter writer;
    private final Script script;
    private final Chunking chunking;
    private final double tokensPerSecond;
    private final Runnable onComplete;
    private final List<Completion> choices = new ArrayList<>();
    private final long start = System.nanoTime();

    /**
     * Prepares to play a request.
     *
     * @param call the request
     * @param requestId the ID that the answer shows
     * @param script what the test wants to be said; what it leaves open the request itself can say
     * @param options the server
     * @param kv holds and takes prompts
     * @param active tells when the request is over early
     * @param reply where the answer goes
     * @param onComplete called before the end of the answer is sent, so that whoever has the answer sees the request
     *     gone
     * @throws Refusal if the request's wishes to the simulator cannot be met
     */
    Generation(
            GenerateCall call,
            String requestId,
            Script script,
            SimulatorOptions options,
            KvSide kv,
            ActiveRequest active,
            Reply reply,
            Runnable onComplete) {
        this.call = call;
        this.options = options;
        this.requestId = requestId;
        this.kv = kv;
        this.active = active;
        this.reply = reply;
        this.script = script;
        this.onComplete = onComplete;
        this.writer = new AnswerWriter(call, options, requestId);
        Chunking wished = script.chunking() != null ? script.chunking() : wishedChunking();
        this.chunking = wished != null ? wished : options.chunking();
        this.tokensPerSecond = call.wish("rate").asDouble(options.tokensPerSecond());
        List<Output> outputs = script.outputs().isEmpty() ? wishedOutputs() : script.outputs();
        for (int i = 0; i < call.n(); i++) {
            Output output = outputs.isEmpty() ? null : outputs.get(Math.min(i, outputs.size() - 1));
            TokenSource source = new TokenSource(output, TokenSource.seed(call, i), options);
            choices.add(new Completion(call, i, source, options));
        }
    }

    private @Nullable Chunking wishedChunking() {
        JsonNode wish = call.wish("tokens_per_event");
        try {
            return wish.isMissingNode() ? null : Chunking.parse(wish.asText());
        } catch (IllegalArgumentException e) {
            throw Refusal.bad("glyphgate_tokens_per_event: " + e.getMessage());
        }
    }

    /** What the request says that the model shall say. */
    private List<Output> wishedOutputs() {
        List<Output> outputs = new ArrayList<>();
        JsonNode wish = call.wish("tokens");
        if (wish.path(0).isArray()) {
            wish.forEach(tokens -> outputs.add(output(tokens)));
        } else if (wish.isArray()) {
            outputs.add(output(wish));
        } else if (!wish.isMissingNode()) {
            throw Refusal.bad("glyphgate_tokens must be a list of token IDs, or a list of such lists, one per choice");
        }
        List<String> texts = call.forcedTexts();
        if (outputs.isEmpty() && !texts.isEmpty()) {
            Tokenizer tokenizer = options.tokenizer();
            if (tokenizer == null) {
                throw Refusal.bad(
                        "structured_outputs.choice needs a tokenizer, which this simulated server was not given");
            }
            int chosen = Math.floorMod(TokenSource.seed(call, 0), texts.size());
            outputs.add(new Output(tokenizer.encode(texts.get(chosen), false), null));
        }
        return outputs;
    }

    private static Output output(JsonNode tokens) {
        int[] ids = new int[tokens.size()];
        for (int i = 0; i < ids.length; i++) {
            ids[i] = tokens.get(i).asInt();
        }
        return new Output(ids, null);
    }

    /** Plays the request. */
    void play() throws IOException, InterruptedException {
        Fault error = reply.fault(Fault.Kind.ERROR_EVENT);
        if (!call.stream() || error == null || !error.refuses()) {
            kv.take(call, requestId, active);
        }
        if (call.stream()) {
            stream();
        } else {
            batch();
        }
    }

    private void batch() throws IOException, InterruptedException {
        int longest = choices.stream().mapToInt(Completion::count).max().orElse(0);
        boolean aborted = over(longest);
        int come = aborted ? tokensSoFar() : longest;
        List<Part> parts = new ArrayList<>();
        String reason = "";
        for (Completion choice : choices) {
            int count = Math.min(come, choice.count());
            EngineFinish finish = count < choice.count() ? new EngineFinish("abort", null) : choice.finish();
            reason = parts.isEmpty() ? finish.reason() : reason;
            String text = choice.text().substring(0, choice.textEnd(count, true));
            boolean derender = call.outputMode().equals("derender");
            parts.add(new Part(
                    choice,
                    0,
                    count,
                    finish,
                    text,
                    derender ? DerenderedMessage.of(call, choice, count, finish, options) : null));
        }
        ObjectNode transfer = kv.computed(call, requestId, reason);
        String answer = writer.batch(parts, promptLogprobs(), transfer);
        reply.beforeBody(onComplete);
        reply.send(200, "application/json", answer, Map.of());
    }

    private void stream() throws IOException, InterruptedException {
        EventStream events = new EventStream(reply);
        int[] sent = new int[choices.size()];
        int[] shown = new int[choices.size()];
        boolean going = true;
        int come = 0;
        for (int event = 0; going; event++) {
            come += chunking.tokens(event);
            boolean aborted = over(come);
            going = false;
            for (Completion choice : choices) {
                int i = choice.index();
                if (sent[i] == choice.count()) {
                    continue;
                }
                int to = aborted ? sent[i] : Math.min(come, choice.count());
                EngineFinish finish =
                        aborted ? new EngineFinish("abort", null) : to == choice.count() ? choice.finish() : null;
                int textEnd = Math.max(shown[i], choice.textEnd(to, finish != null));
                Part part = new Part(choice, sent[i], to, finish, choice.text().substring(shown[i], textEnd), null);
                if (!events.send(writer.event(part, event == 0 && i == 0))) {
                    end(events);
                    return;
                }
                sent[i] = to;
                shown[i] = textEnd;
                going |= finish == null;
            }
        }
        if (call.includeUsage()) {
            int tokens = 0;
            for (int count : sent) {
                tokens += count;
            }
            events.send(writer.usageEvent(tokens));
        }
        end(events);
    }

    private void end(EventStream events) throws IOException {
        onComplete.run();
        events.end();
    }

    /**
     * Waits until a token has come.
     *
     * @param tokens how many tokens of each choice are waited for
     * @return true if the request was aborted before
     * @throws IOException if the client left before
     */
    private boolean over(int tokens) throws IOException, InterruptedException {
        long pause = tokensPerSecond > 0 ? (long) (tokens / tokensPerSecond * TimeUnit.SECONDS.toNanos(1)) : 0;
        boolean ended = active.endsBefore(start + options.timeToFirstToken().toNanos() + pause);
        if (active.end() == ActiveRequest.End.CLIENT_LEFT) {
            throw new IOException("the client left");
        }
        return ended;
    }

    private int tokensSoFar() {
        long passed = System.nanoTime() - start - options.timeToFirstToken().toNanos();
        return Math.max(0, (int) (passed * tokensPerSecond / TimeUnit.SECONDS.toNanos(1)));
    }

    private @Nullable List<List<Candidate>> promptLogprobs() {
        Integer wanted = call.promptLogprobs();
        if (wanted == null || script.promptLogprobs() != null) {
            return wanted == null ? null : script.promptLogprobs();
        }
        TokenSource source = new TokenSource(null, TokenSource.seed(call, -1), options);
        List<List<Candidate>> all = new ArrayList<>();
        for (int i = 1; i < call.promptTokenIds().length; i++) {
            all.add(source.candidates(i, call.promptTokenIds()[i], wanted));
        }
        return all;
    }
}
