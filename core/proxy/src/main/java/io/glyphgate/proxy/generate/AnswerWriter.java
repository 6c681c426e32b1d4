package io.glyphgate.proxy.generate;

import io.glyphgate.proxy.config.ProxyConfig.KvParams;
import io.glyphgate.proxy.generate.Client.EventStream;
import io.glyphgate.proxy.loop.Loop;
import io.glyphgate.proxy.observe.Meters;
import io.glyphgate.proxy.plugin.PluginFailedException;
import io.glyphgate.proxy.pool.Running;
import io.glyphgate.proxy.route.Route;
import io.glyphgate.proxy.upstream.Leg;
import io.glyphgate.proxy.upstream.UpstreamException;
import io.glyphgate.proxy.wire.Answer;
import io.glyphgate.proxy.wire.AnswerCollector;
import io.glyphgate.proxy.wire.Failure;
import io.glyphgate.proxy.wire.JsonOut;
import io.glyphgate.proxy.wire.MalformedJsonException;
import io.glyphgate.proxy.wire.SseReader;
import java.io.EOFException;
import java.io.IOException;
import java.time.Instant;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Gives the client the answer of one leg: whole or as a stream, as the server wrote it or translated. */
final class AnswerWriter {
    private static final System.Logger LOG = System.getLogger(AnswerWriter.class.getName());
    private static final int LARGEST_EVENT = 64 << 20;

    private final Plan plan;
    private final Route route;
    private final Client client;
    private final Meters meters;
    private final Meters.Traffic traffic;
    private final @Nullable Translation translation;
    private final AnswerForm.@Nullable Writer writer;
    private final Handover prompt;
    private final Passage passage;
    private final boolean streams;
    private final Answer answer = new Answer();
    private final BitSet finished = new BitSet();
    private long lastTokens;
    private boolean failed;
    private boolean failureTold;
    private boolean totals;
    private boolean arrived;
    /** What a round of a stream writes to the client, in one piece. */
    private final JsonOut bytes = new JsonOut();
    private boolean echoed;
    /** Whether the server has sent its end mark. */
    private boolean done;

    /** What a round of a stream has come to. */
    private enum Round {
        /** More is to come. */
        GOES_ON,
        /** The client did not take all, and must be waited for. */
        BEHIND,
        /** All has been passed on. */
        ENDED
    }

    private Round round = Round.GOES_ON;

    /**
     * A writer.
     *
     * @param translation null to pass the server's answer on as it is
     * @param prompt how the server gets the prompt
     */
    AnswerWriter(
            Plan plan,
            Route route,
            Client client,
            Meters meters,
            @Nullable Translation translation,
            Handover prompt) {
        this.plan = plan;
        this.route = route;
        this.client = client;
        this.meters = meters;
        traffic = meters.traffic(route.pool().name(), plan.form().name());
        this.translation = translation;
        this.prompt = prompt;
        streams = plan.body().stream();
        writer = translation == null ? null : plan.form().open(translation);
        passage = translation == null || writer == null ? new Passage.Verbatim() : new Passage.Translated(translation, writer);
    }

    /**
     * Answers the client. Every failure behind the head of the server's answer ends here but one.
     *
     * @throws UpstreamException if the server broke the connection before the first byte of the body, so that another one may
     *     be asked: the client has seen nothing yet
     */
    void write(Leg leg) {
        if (leg.status() >= 400) {
            refuse(leg);
        } else if (!streams) {
            whole(leg);
        } else {
            stream(leg);
        }
    }

    /** Whether all that the client asked for has come, so that nothing of the answer is missing but its end mark. */
    private boolean complete() {
        return allFinished() && (totals || !plan.body().streamOption("include_usage"));
    }

    private boolean allFinished() {
        return translation == null ? finished.cardinality() >= plan.form().choices() : translation.ended();
    }

    private void whole(Leg leg) {
        JsonOut out = new JsonOut(4096);
        try {
            if (translation != null && writer != null && UpstreamBody.collects(plan, route)) {
                collect(leg, translation, writer, out);
            } else {
                checkPlain(leg, "application/json");
                byte[] bytes = leg.wholeBody();
                answer.scan(bytes, 0, bytes.length);
                note();
                checkWhole();
                if (plan.kvParams() != KvParams.PASS) {
                    answer.hideTransferParams();
                }
                passage.whole(answer, out);
            }
        } catch (IOException | RuntimeException e) {
            fail(e, leg);
            return;
        }
        prompt.settled();
        traffic.answered(200);
        client.answer(200, headers("application/json"), out.toByteArray());
    }

    private void checkWhole() throws MalformedJsonException {
        if (answer.hasError()) {
            throw broken("The server answered 200 with an error inside.");
        }
        if (answer.choiceCount() == 0) {
            throw broken("The server's answer has no choices.");
        }
        checkEcho();
    }

    /** Reads a stream for a client that wants one answer. */
    private void collect(Leg leg, Translation translation, AnswerForm.Writer writer, JsonOut out) throws IOException {
        checkPlain(leg, "text/event-stream");
        AnswerCollector collector = new AnswerCollector();
        SseReader events = new SseReader(leg.body(), LARGEST_EVENT);
        boolean done = false;
        while (!done && !translation.ended() && events.next()) {
            done = events.done();
            if (!done) {
                answer.scan(events.data(), events.dataFrom(), events.dataTo());
                note();
                if (answer.hasError()) {
                    noteRefusal();
                    throw broken("The server's stream has an error inside.");
                }
                translation.accept(answer);
                translation.collect(answer, collector);
            }
        }
        if (!translation.ended()) {
            if (done) {
                throw broken("The server ended its stream without a finish reason.");
            }
            throw new UpstreamException(UpstreamException.Kind.BROKEN, "The server ended its answer too early.", null);
        }
        if (done) {
            leg.finish();
        }
        byte[] whole = collector.toJson(
                plan.model().name(), Instant.now().getEpochSecond(), translation.usage());
        answer.scan(whole, 0, whole.length);
        writer.whole(answer, out);
    }

    private void stream(Leg leg) {
        EventStream out = client.stream(headers("text/event-stream; charset=utf-8"));
        try {
            checkPlain(leg, "text/event-stream");
            SseReader events = new SseReader(leg.body(), LARGEST_EVENT);
            copy(leg, events, out);
            out.flush();
            if (done) {
                leg.finish();
            }
            out.end();
            traffic.answered(200);
            if (failed) {
                traffic.failedMidStream();
            }
        } catch (ClientGoneException e) {
            out.end();
            traffic.answered(499);
            throw e;
        } catch (IOException | RuntimeException e) {
            if (out.end()) {
                failMidStream(e, leg, out);
            } else {
                fail(e, leg);
            }
        }
    }

    /** Reads on to the next event; false at the end of the stream, in good order or behind all that matters. */
    private boolean next(SseReader events) throws IOException {
        try {
            return events.next();
        } catch (EOFException | UpstreamException e) {
            boolean cancelled = e instanceof UpstreamException upstream && upstream.kind() == UpstreamException.Kind.CANCELLED;
            if (cancelled || !(failed || complete())) {
                throw e;
            }
            LOG.log(System.Logger.Level.DEBUG, "only the end mark of a stream did not come", e);
            return false;
        }
    }

    /**
     * Passes all events on. A loop carries the stream where it can, and this thread waits; it takes the stream back when the client
     * must be waited for, because nothing on a loop may wait.
     */
    private void copy(Leg leg, SseReader events, EventStream out) throws IOException {
        boolean flowed = false;
        while (round != Round.ENDED) {
            Optional<Loop> loop = arrived && leg.flows() ? out.loop() : Optional.empty();
            if (loop.isPresent()) {
                flowed = true;
                leg.flow(loop.get(), () -> pass(leg, events, out) == Round.GOES_ON);
                if (round == Round.BEHIND) {
                    meters.streamHandedBack();
                    out.flush();
                }
            } else {
                pass(leg, events, out);
            }
        }
        meters.stream(flowed);
    }

    /** Passes on what one read has brought, in one write; waits for it, unless a loop reads. */
    private Round pass(Leg leg, SseReader events, EventStream out) throws IOException {
        bytes.clear();
        round = Round.GOES_ON;
        int whole = 0;
        try {
            do {
                round = pass(events);
                whole = bytes.length();
            } while (round == Round.GOES_ON && !events.waits() && (events.buffered() || leg.buffered()));
        } finally {
            bytes.truncate(whole); // what came before an event that fails
            if (whole > 0) {
                tellFailed(out);
                out.write(bytes.buffer(), 0, whole);
                out.flush();
            }
        }
        if (round == Round.GOES_ON && out.behind()) {
            round = Round.BEHIND;
        }
        return round;
    }

    /** Tells the stream that what comes is the server's own error. */
    private void tellFailed(EventStream out) {
        if (failed && !failureTold) {
            failureTold = true;
            out.failed();
        }
    }

    /** Writes what becomes of the next event, if it is here. */
    private Round pass(SseReader events) throws IOException {
        if (!next(events)) {
            if (events.waits()) {
                return Round.GOES_ON;
            }
            if (!failed && finished.cardinality() < plan.form().choices()) {
                throw new UpstreamException(UpstreamException.Kind.BROKEN, "The server ended its answer too early.", null);
            }
            end(); // some servers leave their end mark out
            return Round.ENDED;
        }
        if (events.done()) {
            if (!failed && !allFinished()) {
                throw broken("The server ended its stream without a finish reason.");
            }
            end();
            done = true;
            return Round.ENDED;
        }
        answer.scan(events.data(), events.dataFrom(), events.dataTo());
        note();
        if (answer.hasError()) {
            failed = true;
            noteRefusal();
            prompt.settled();
            held();
            client.dialect().serverError(events, bytes);
        } else {
            if (!echoed && answer.choiceCount() > 0) {
                checkEcho();
                echoed = true;
            }
            passage.event(answer, events, bytes);
        }
        if (passage.ended()) {
            end();
            return Round.ENDED;
        }
        return Round.GOES_ON;
    }

    /** Writes the end of a stream. */
    private void end() throws MalformedJsonException {
        if (!failed) {
            passage.end(answer, bytes);
        }
        bytes.endValue().bytes(client.dialect().endMark());
    }

    /** An answer that was not asked for plain cannot be read. */
    private void checkPlain(Leg leg, String mediaType) {
        Optional<String> encoding = encoding(leg);
        if (encoding.isPresent()) {
            throw broken("The server's answer is encoded with " + encoding.get() + ", which nobody asked for.");
        }
        if (!leg.mediaType().equals(mediaType)) {
            throw broken("The server answered with '" + leg.mediaType() + "' instead of '" + mediaType + "'.");
        }
    }

    /** How the body is encoded, though nobody asked for it; empty if it is not. */
    static Optional<String> encoding(Leg leg) {
        return leg.header("Content-Encoding").filter(value -> !value.equalsIgnoreCase("identity"));
    }

    /** vLLM answers 200 to a stream, then refuses it with its first event; as with a status of 4xx the prompt is not taken. */
    private void noteRefusal() throws MalformedJsonException {
        int code = answer.errorCode();
        if (code >= 400 && code < 500) {
            prompt.refused();
        }
    }

    private void checkEcho() throws MalformedJsonException {
        if (translation == null && answer.choiceCount() > 0) {
            plan.form().checkForwarded(answer);
        }
    }

    private void note() throws MalformedJsonException {
        if (!prompt.params().isEmpty() && answer.hasUsage() && (answer.choiceCount() == 0 || !streams)) {
            meters.cachedTokens(route.pool().name(), answer.cachedTokens());
        }
        totals |= answer.hasUsage() && answer.choiceCount() == 0;
        for (int i = 0; i < answer.choiceCount(); i++) {
            int index = answer.choice(i).index();
            if (answer.choice(i).finishReason() != null && index < plan.form().choices()) {
                finished.set(index);
            }
        }
        int count = answer.tokenCount();
        if (count > 0) {
            if (!arrived) {
                arrived = true;
                prompt.arrived();
            }
            traffic.tokens(count);
            if (!streams) {
                return; // a whole answer tells nothing of when its tokens came
            }
            long now = System.nanoTime();
            if (lastTokens == 0) {
                traffic.firstToken(now - plan.start());
            } else {
                traffic.betweenTokens(now - lastTokens);
            }
            lastTokens = now;
        }
    }

    private void refuse(Leg leg) {
        ServerRefusal refusal;
        try {
            refusal = ServerRefusal.read(leg);
        } catch (UpstreamException e) {
            fail(e, leg);
            return;
        }
        refuse(refusal);
    }

    /** A server's refusal is the client's answer; what is no JSON is not shown, because it may tell what nobody should see. */
    void refuse(ServerRefusal refusal) {
        if (!refusal.json()) {
            fail(broken("The server answered with status " + refusal.status() + "."));
            return;
        }
        prompt.settled();
        traffic.answered(refusal.status());
        Map<String, String> headers = headers("application/json");
        headers.put("X-Glyphgate-Error", "upstream-refused");
        refusal.retryAfter().ifPresent(value -> headers.put("Retry-After", value));
        client.answer(
                refusal.status(), headers, client.dialect().refusal(refusal.status(), refusal.body(), plan.clientId()));
    }

    private void fail(Exception e, Leg leg) {
        leg.spoil();
        if (e instanceof UpstreamException broken && broken.kind() == UpstreamException.Kind.BROKEN && !leg.begun()) {
            throw broken;
        }
        fail(e);
    }

    private void fail(Exception e) {
        if (e instanceof ClientGoneException gone) {
            throw gone;
        }
        throwIfGone(e);
        if (e instanceof UpstreamException cancelled && prompt.failure().isPresent()) {
            throw cancelled; // the client has seen nothing yet, so the request may go on without the prefill
        }
        Failure failure = failure(e);
        prompt.settled();
        traffic.answered(failure.status());
        Failures.send(client, failure, plan.headerId());
    }

    private void failMidStream(Exception e, Leg leg, EventStream out) {
        leg.spoil();
        throwIfGone(e);
        traffic.answered(200);
        traffic.failedMidStream();
        byte[] event = client.dialect().event(failure(e));
        prompt.settled();
        bytes.clear();
        if (!(e instanceof PluginFailedException)) {
            held();
        }
        failed = true;
        tellFailed(out);
        out.write(bytes.buffer(), 0, bytes.length());
        out.write(event, 0, event.length);
        byte[] mark = client.dialect().endMark();
        out.write(mark, 0, mark.length);
        out.flush();
    }

    private void throwIfGone(Exception e) {
        if (client.gone()) {
            traffic.answered(499);
            throw new ClientGoneException(e);
        }
        var unused = Thread.interrupted(); // cancelled from this side: the client can still be told
    }

    /** Writes what is held back, because no more will come. */
    private void held() {
        if (translation == null || writer == null) {
            return;
        }
        for (int i = 0; i < translation.outputs().size(); i++) {
            Translation.Output output = translation.outputs().get(i);
            if (output != null && !output.choice().ended()) {
                int start = bytes.length();
                try {
                    output.choice().abort("error");
                    writer.ended(i, output, Running.SERVER_PREFIX + plan.requestId(), bytes);
                } catch (PluginFailedException | MalformedJsonException e) {
                    LOG.log(System.Logger.Level.DEBUG, "what a choice held back is lost", e);
                    bytes.truncate(start); // the client is told of one failure already
                }
            }
        }
    }

    private Failure failure(Exception e) {
        if (e instanceof PluginFailedException failed) {
            meters.pluginError(failed.kind().label(), failed.plugin());
        }
        return e instanceof UpstreamException ? prompt.failure().orElseGet(() -> Failures.of(e)) : Failures.of(e);
    }

    private static FailedException broken(String message) {
        return new FailedException(Failure.of(502, "upstream-bad-answer", "", message), null);
    }

    private Map<String, String> headers(String contentType) {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("Content-Type", contentType);
        plan.headerId().ifPresent(id -> headers.put("X-Request-Id", id));
        headers.put("X-Glyphgate-Pool", route.pool().name());
        if (contentType.startsWith("text/event-stream")) {
            headers.put("Cache-Control", "no-cache");
            headers.put("X-Accel-Buffering", "no");
        }
        return headers;
    }
}
