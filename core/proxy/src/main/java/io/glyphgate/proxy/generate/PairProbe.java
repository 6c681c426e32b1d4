package io.glyphgate.proxy.generate;

import io.glyphgate.proxy.observe.Meters;
import io.glyphgate.proxy.pool.Endpoint;
import io.glyphgate.proxy.pool.Running;
import io.glyphgate.proxy.route.Route;
import io.glyphgate.proxy.upstream.Leg;
import io.glyphgate.proxy.upstream.UpstreamClient;
import io.glyphgate.proxy.upstream.UpstreamException;
import io.glyphgate.proxy.wire.Answer;
import io.glyphgate.proxy.wire.MalformedJsonException;
import io.glyphgate.proxy.wire.ServerFacts;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Finds out whether prefill servers and a decode server really work together: one prompt goes through both, and through the
 * decode server alone, which must say the same.
 */
public final class PairProbe {
    /** Longer than any block of the KV cache, of IDs that every vocabulary has. */
    private static final String PROMPT =
            IntStream.range(0, 200).map(i -> 20 + i * 7 % 200).mapToObj(String::valueOf).collect(Collectors.joining(","));

    private final Generate generate;
    private final UpstreamClient upstream;
    private final Running running = new Running();
    private final Meters meters;
    private final OutputReport report;
    private final Prefilling prefilling;

    /** A probe over the given parts. */
    public PairProbe(Generate generate, UpstreamClient upstream, Meters meters, OutputReport report) {
        this.generate = generate;
        this.upstream = upstream;
        this.meters = meters;
        this.report = report;
        prefilling = new Prefilling(upstream, running, meters);
    }

    /**
     * What was found.
     *
     * @param summary one line for a reader
     * @param good whether the prompt was handed over, and the answers are the same
     */
    public record Findings(String summary, boolean good) {}

    /**
     * Asks a decode server.
     *
     * @param model a name of the model
     * @param pool the decode pool
     * @param endpoint one of its servers
     * @return empty if no prefill pool feeds it
     */
    public Optional<Findings> ask(String model, String pool, Endpoint endpoint) {
        String body = "{\"model\":" + ServerFacts.quoted(model) + ",\"token_ids\":[" + PROMPT
                + "],\"sampling_params\":{\"max_tokens\":8,\"temperature\":0,\"ignore_eos\":true}}";
        Plan plan = generate.plan(
                body.getBytes(StandardCharsets.UTF_8),
                name -> name.equals("X-Glyphgate-Pool") ? Optional.of(pool) : Optional.empty());
        Route route = plan.routes().getFirst();
        if (route.prefills().isEmpty()) {
            return Optional.empty();
        }
        Serving serving = new Serving(plan, new Nobody(), upstream, running, meters, report, prefilling, generate.retries());
        try (Handover handover = prefilling.begin(serving, route)) {
            if (handover.params().isEmpty() && route.prefills().getFirst().connector().orElseThrow().sharable()) {
                return Optional.of(compare(plan, route, endpoint, handover, "the prefill servers share a store"));
            }
            return Optional.of(
                    handover.params().isEmpty()
                            ? new Findings("no prefill server hands a prompt over; the log says why", false)
                            : compare(plan, route, endpoint, handover, "a prompt was handed over"));
        } catch (FailedException e) {
            return Optional.of(new Findings("no prefill server hands a prompt over: " + e.failure().message(), false));
        }
    }

    private Findings compare(Plan plan, Route route, Endpoint endpoint, Handover handover, String how) {
        try {
            Answer together = answer(plan, route, endpoint, handover.params());
            handover.taken();
            int[] tokens = tokens(together);
            long cached = together.cachedTokens();
            boolean same = Arrays.equals(tokens, tokens(answer(plan, route, endpoint, Map.of())));
            String counted = cached > 0 ? ", " + cached + " of its tokens were in the cache" : "";
            return same
                    ? new Findings(how + counted + ", and " + tokens.length + " tokens are those of the decode server alone", true)
                    : new Findings(how + counted + ", but the tokens are not those of the decode server alone", false);
        } catch (UpstreamException | MalformedJsonException e) {
            return new Findings(how + ", but the decode server failed: " + e.getMessage(), false);
        }
    }

    private Answer answer(Plan plan, Route route, Endpoint endpoint, Map<String, @Nullable Object> transfer)
            throws MalformedJsonException {
        byte[] body = UpstreamBody.of(plan, route, transfer);
        try (Leg leg = upstream.post(endpoint, Generate.PATH, Map.of("Accept", "application/json"), body)) {
            byte[] bytes = leg.wholeBody();
            if (leg.status() != 200) {
                throw new MalformedJsonException("status " + leg.status() + ": " + ServerFacts.errorMessage(bytes));
            }
            Answer answer = new Answer();
            answer.scan(bytes, 0, bytes.length);
            return answer;
        }
    }

    private static int[] tokens(Answer answer) throws MalformedJsonException {
        if (answer.choiceCount() == 0) {
            throw new MalformedJsonException("its answer has no choices");
        }
        return Arrays.copyOf(answer.choice(0).tokenIds(), answer.choice(0).tokenCount());
    }

    /** There is no client. */
    private static final class Nobody implements Client {
        @Override
        public Optional<String> header(String name) {
            return Optional.empty();
        }

        @Override
        public boolean gone() {
            return false;
        }

        @Override
        public void linger(Duration delay) {
            // it never leaves
        }

        @Override
        public void answer(int status, Map<String, String> headers, byte[] body) {
            throw new IllegalStateException("nobody asked");
        }

        @Override
        public EventStream stream(Map<String, String> headers) {
            throw new IllegalStateException("nobody asked");
        }
    }
}
