package io.glyphgate.proxy.soak;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * One request of one client, all of it decided beforehand.
 *
 * @param id the ID of the request
 * @param pool the pool that is asked for; empty for any
 * @param mode the output mode
 * @param stream whether a stream is wanted
 * @param choices how many choices are wanted
 * @param fault how the server's answer goes wrong; empty if it does not
 * @param prefillFault the same of the prefill server's answer
 * @param manner what the client does
 * @param patience a number that the manner makes something of
 */
record Visit(
        String id,
        String pool,
        String mode,
        boolean stream,
        int choices,
        boolean stops,
        String fault,
        String prefillFault,
        Manner manner,
        int patience,
        Utterance utterance) {
    /** What a client does. */
    enum Manner {
        /** Waits for its answer and takes it. */
        WAITS,
        /** Takes its answer a few bytes at a time. */
        DAWDLES,
        /** Sends its request twice on one connection, at once. */
        PIPELINES,
        /** Leaves after a moment, whatever has come. */
        LEAVES,
        /** Leaves when the answer has begun. */
        LEAVES_LATER,
        /** Resets its connection after a moment. */
        RESETS,
        /** Closes its sending side behind the request. */
        HALF_CLOSES,
        /** Leaves in the middle of its request. */
        BREAKS_OFF,
        /** Stops in the middle of its request. */
        STOPS_SHORT,
        /** Sends what is no request. */
        RAVES;

        /** Whether the client wants to see its answer, so that it can be judged. */
        boolean waits() {
            return this == WAITS || this == DAWDLES || this == PIPELINES;
        }
    }

    /** Faults that change nothing of what the client is told. */
    private static final List<String> HARMLESS =
            List.of("crlf", "comments", "multiline", "split=7", "no-done", "close-after", "stale", "stall@%d=50ms");

    private static final List<String> HARMFUL = List.of(
            "close", "reset", "close@%d", "reset@%d", "cut@%d", "stall", "stall@%d", "half@%d", "end@%d", "early-done@%d",
            "garbage-head", "garbage-chunk@%d", "garbage-event@%d", "wrong-length", "status=400", "status=429", "status=500", "status=503",
            "html", "html=200", "error-body", "error-event@%d", "gzip");

    /** What a proxy offers to visit. */
    record Offer(List<String> pools, List<String> pairs) {}

    static Visit random(SplittableRandom random, Offer offer, Utterance utterance) {
        String pool = offer.pools().isEmpty() ? "" : pick(offer.pools(), random);
        boolean tokens = pool.endsWith("bulk");
        boolean upstream = pool.endsWith("full");
        String mode = tokens ? "tokens" : pick(List.of("tokens", "text", "derender"), random);
        boolean stream = !(upstream && mode.equals("derender")) && random.nextInt(3) > 0;
        boolean stops = pool.endsWith("chat") && !mode.equals("tokens") && random.nextInt(6) == 0;
        int events = utterance.tokens().length;
        boolean pair = offer.pairs().contains(pool);
        String fault = random.nextInt(2) == 0 ? "" : fault(random, events);
        String prefillFault = pair && random.nextInt(4) == 0 ? fault(random, 1) : "";
        Manner manner = random.nextInt(10) < 7 ? Manner.WAITS : Manner.values()[random.nextInt(Manner.values().length)];
        return new Visit(
                Long.toHexString(random.nextLong()),
                pool,
                mode,
                stream,
                random.nextInt(12) == 0 ? 2 : 1,
                stops,
                fault,
                prefillFault,
                manner,
                random.nextInt(100),
                utterance);
    }

    private static String fault(SplittableRandom random, int events) {
        return pick(random.nextInt(3) == 0 ? HARMLESS : HARMFUL, random).formatted(random.nextInt(events));
    }

    private static String pick(List<String> from, SplittableRandom random) {
        return from.get(random.nextInt(from.size()));
    }

    /** The fault without its place; {@code none} if there is none. */
    String kind() {
        String kind = fault.isEmpty() ? "none" : fault.replaceAll("@\\d+", fault.contains("=50ms") ? "" : "@n");
        return prefillFault.isEmpty() ? kind : "prefill: " + prefillFault.replaceAll("@\\d+", "@n");
    }

    /** Whether nothing goes wrong that the client could notice. */
    boolean mustBeWhole() {
        return harmless(fault) && (prefillFault.isEmpty() || !late(prefillFault));
    }

    private static boolean harmless(String fault) {
        return fault.isEmpty() || HARMLESS.stream().anyMatch(form -> fault.matches(form.replace("%d", "\\d+")));
    }

    /** Whether the fault is silence without end, of which both servers of a pair may be blamed. */
    private static boolean late(String fault) {
        return fault.matches("(stall|half)(@\\d+)?");
    }

    /** The bytes of the request. */
    byte[] request() {
        String sampling = "{\"n\":" + choices + ",\"extra_args\":{\"glyphgate_tokens\":" + Arrays.toString(utterance.tokens())
                + ",\"glyphgate_tokens_per_event\":\"" + (1 + patience % 3) + "\"" + ",\"glyphgate_rate\":" + (patience < 50 ? 0 : 1000)
                + text("glyphgate_fault", fault) + text("glyphgate_prefill_fault", prefillFault) + "}"
                + (stops ? ",\"stop\":[\"never said\"]" : "") + "}";
        String context = mode.equals("derender")
                ? ",\"parse_context\":{\"tool_choice\":\"auto\",\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"" + Utterance.FUNCTION
                        + "\",\"parameters\":{\"type\":\"object\",\"properties\":{\"query\":{\"type\":\"string\"}}}}}]}"
                : "";
        String body = "{\"token_ids\":[151644,872,198,13048,151645,198,151644,77091,198],\"sampling_params\":" + sampling
                + ",\"output_mode\":\"" + mode + "\",\"stream\":" + stream + context + "}";
        String identity = "X-Request-Id: " + id;
        return pool.isEmpty()
                ? BareClient.post("/inference/v1/generate", body, identity)
                : BareClient.post("/inference/v1/generate", body, identity, "X-Glyphgate-Pool: " + pool);
    }

    private static String text(String name, String value) {
        return value.isEmpty() ? "" : ",\"" + name + "\":\"" + value + "\"";
    }

    @Override
    public String toString() {
        return "request " + id + (pool.isEmpty() ? "" : " to " + pool) + ", " + mode + (stream ? " stream" : "")
                + (choices > 1 ? ", n " + choices : "") + (stops ? ", stop" : "") + (fault.isEmpty() ? "" : ", " + fault)
                + (prefillFault.isEmpty() ? "" : ", prefill " + prefillFault) + ", " + manner;
    }
}
