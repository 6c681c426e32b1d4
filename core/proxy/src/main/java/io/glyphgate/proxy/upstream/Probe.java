package io.glyphgate.proxy.upstream;

import io.glyphgate.proxy.config.ProxyConfig;
import io.glyphgate.proxy.config.ProxyConfig.Role;
import io.glyphgate.proxy.config.ProxyConfig.TokenizerSetting;
import io.glyphgate.proxy.pool.Endpoint;
import io.glyphgate.proxy.wire.ServerFacts;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Asks a server what it is: its version, the models that it serves, and whether its generate door is open and makes text. The
 * questions are ones that a server refuses before it generates anything.
 */
public final class Probe {
    private static final Duration LIMIT = Duration.ofSeconds(5);
    private static final String GENERATE = "/inference/v1/generate";
    /** vLLM 0.33 refuses the mode without a tokenizer, and the stream with one. */
    private static final String HARMLESS = "{\"model\":%s,\"token_ids\":[0],\"sampling_params\":{\"max_tokens\":1},"
            + "\"output_mode\":\"derender\",\"stream\":true,\"parse_context\":{\"tool_choice\":\"none\"}}";

    private final UpstreamClient client;

    /** A probe over a client. */
    public Probe(UpstreamClient client) {
        this.client = client;
    }

    /** What a server's generate door does. */
    public enum Door {
        /** It makes tokens only. */
        TOKENS,
        /** It makes text, too. */
        TEXT,
        /** The server was started without it. */
        CLOSED,
        /** The server is too old to have it. */
        MISSING,
        /** It answers in a way that no known server does. */
        UNKNOWN
    }

    /**
     * What was found.
     *
     * @param fault why nothing was found; empty if something was
     * @param version the server's version
     * @param models the names of its models
     * @param door what its generate door does
     * @param model the model that the pool expects
     */
    public record Findings(String fault, String version, List<String> models, Door door, String model) {
        /** One line for a reader. */
        public String summary() {
            return fault.isEmpty()
                    ? "vLLM " + version + ", models " + models + ", generate: "
                            + switch (door) {
                                case TOKENS -> "tokens only";
                                case TEXT -> "tokens, text and derender";
                                case CLOSED -> "closed";
                                case MISSING -> "none";
                                case UNKNOWN -> "an answer that no known server gives";
                            }
                    : "no answer: " + fault;
        }

        /** What does not fit a pool with this configuration; empty if all fits. */
        public List<String> misfits(ProxyConfig.Pool pool) {
            if (!fault.isEmpty()) {
                return List.of("start the server, or correct the endpoint");
            }
            List<String> misfits = new ArrayList<>();
            if (!models.contains(model)) {
                misfits.add("it does not serve '" + model + "': set served-model to one of " + models);
            }
            if (pool.role() == Role.RENDER) {
                return misfits; // it generates nothing
            }
            switch (door) {
                case CLOSED -> misfits.add("start it with --tokens-only or --enable-scale-out");
                case MISSING -> misfits.add("it has no " + GENERATE + ": it needs a newer vLLM");
                case UNKNOWN -> misfits.add("check that it is a vLLM server");
                case TOKENS -> {
                    if (pool.tokenizer() == TokenizerSetting.UPSTREAM) {
                        misfits.add("it makes no text: give the pool the setting tokenizer: proxy, or none");
                    }
                }
                case TEXT -> {}
            }
            return misfits;
        }
    }

    /** Asks a server. */
    public Findings ask(Endpoint server, String model) {
        try {
            String version = ServerFacts.version(get(server, "/version"));
            List<String> models = ServerFacts.models(get(server, "/v1/models"));
            if (models.isEmpty()) {
                return new Findings("it lists no models", version, models, Door.UNKNOWN, model);
            }
            return new Findings("", version, models, door(server, models.contains(model) ? model : models.getFirst()), model);
        } catch (NoJudgementException e) {
            return new Findings(String.valueOf(e.getMessage()), "", List.of(), Door.UNKNOWN, model);
        } catch (UpstreamException e) {
            return new Findings(String.valueOf(e.getMessage()), "", List.of(), Door.UNKNOWN, model);
        }
    }

    /** The answer says nothing of what the server can do: it is busy, it failed, or it wants to know who asks. */
    private static final class NoJudgementException extends RuntimeException {
        private static final long serialVersionUID = 1;

        private NoJudgementException(int status) {
            super(GENERATE + " answers with status " + status, null, false, false);
        }
    }

    /** Whether a server that takes the question knows the mode: an old one answers with tokens. */
    private static boolean echoesMode(Leg leg) {
        return new String(leg.wholeBody(), StandardCharsets.UTF_8).contains("\"output_mode\":\"derender\"");
    }

    private byte[] get(Endpoint server, String path) {
        try (Leg leg = client.get(server, path, LIMIT)) {
            return leg.wholeBody();
        }
    }

    /** vLLM 0.33 says why it refuses the question; a server that does not say so is not known to make text. */
    private static Door refusal(String message) {
        if (message.contains("requires a tokenizer")) {
            return Door.TOKENS;
        }
        return message.contains("does not support stream") ? Door.TEXT : Door.TOKENS;
    }

    private Door door(Endpoint server, String model) {
        byte[] body = HARMLESS.formatted(ServerFacts.quoted(model)).getBytes(StandardCharsets.UTF_8);
        try (Leg leg = client.ask(server, GENERATE, body, LIMIT)) {
            return switch (leg.status()) {
                case 200 -> echoesMode(leg) ? Door.TEXT : Door.TOKENS;
                case 400 -> refusal(ServerFacts.errorMessage(leg.wholeBody()));
                case 403 -> Door.CLOSED;
                case 501 -> Door.TOKENS;
                case 404, 405 -> Door.MISSING;
                case 401, 429, 500, 502, 503, 504 -> throw new NoJudgementException(leg.status());
                default -> Door.UNKNOWN;
            };
        }
    }
}
