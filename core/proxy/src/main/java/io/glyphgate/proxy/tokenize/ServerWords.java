package io.glyphgate.proxy.tokenize;

import io.glyphgate.proxy.generate.Client;
import io.glyphgate.proxy.observe.Meters;
import io.glyphgate.proxy.pool.Candidates;
import io.glyphgate.proxy.pool.Candidates.Candidate;
import io.glyphgate.proxy.pool.Endpoint;
import io.glyphgate.proxy.pool.Pool;
import io.glyphgate.proxy.upstream.Leg;
import io.glyphgate.proxy.upstream.UpstreamClient;
import io.glyphgate.proxy.upstream.UpstreamException;
import io.glyphgate.proxy.wire.ServerTokens;
import io.glyphgate.proxy.wire.TokenizeBody;
import io.glyphgate.spi.InvalidRequestException;
import io.glyphgate.spi.PoolPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * The tokenizer of a model as its servers have it: {@code /tokenize} and {@code /detokenize} of vLLM are asked.
 *
 * @param pools the pools whose servers are asked
 * @param upstream speaks to them
 * @param meters counts policies that fail
 * @param client for whom they are asked
 */
record ServerWords(List<Pool> pools, UpstreamClient upstream, Meters meters, Client client) implements Words {
    private static final String TOKENIZE = "/tokenize";
    private static final String DETOKENIZE = "/detokenize";
    private static final Duration LIMIT = Duration.ofSeconds(30);

    /** A server refused what it was asked. */
    static final class RefusedException extends RuntimeException {
        private static final long serialVersionUID = 1;
        static final String SLUG = "upstream-refused";

        private final int status;
        private final transient byte[] body;

        RefusedException(int status, byte[] body) {
            super("the server answered " + status, null, false, false);
            this.status = status;
            this.body = body;
        }

        int status() {
            return status;
        }

        /** The server's answer as it came. */
        byte[] body() {
            return body;
        }
    }

    @Override
    public int[] encode(String text, boolean addSpecialTokens) {
        return ServerTokens.tokens(ask(
                TOKENIZE, pool -> ServerTokens.tokenize(pool.servedModel(), text, addSpecialTokens)));
    }

    @Override
    public String decode(int[] tokenIds) {
        return ServerTokens.prompt(ask(DETOKENIZE, pool -> ServerTokens.detokenize(pool.servedModel(), tokenIds)));
    }

    @Override
    public List<@Nullable String> tokens(int[] tokenIds) {
        throw new InvalidRequestException(
                "",
                "Single tokens as strings are only to be had where the proxy has the model's tokenizer: set "
                        + "models.*.tokenizer.");
    }

    /** What a server answers to a body of {@code /tokenize}, which is passed on but for the name of the model. */
    byte[] tokenize(byte[] body) {
        return ask(TOKENIZE, pool -> ServerTokens.named(body, pool.servedModel()));
    }

    /** What a server answers to {@code /v2/tokenizer}, which it does not have itself. */
    byte[] tokenizeVersion2(TokenizeBody request, byte[] body) {
        byte[] answer = switch (request) {
            case TokenizeBody.Prompt prompt ->
                ask(
                        TOKENIZE,
                        pool -> ServerTokens.tokenize(pool.servedModel(), prompt.prompt(), prompt.addSpecialTokens()));
            case TokenizeBody.Chat chat -> ask(TOKENIZE, pool -> ServerTokens.chatOnly(body, pool.servedModel()));
        };
        return ServerTokens.withoutStrings(answer);
    }

    /** What a server answers to {@code /tokenizer_info}. */
    byte[] tokenizerInfo() {
        return askAny((endpoint, pool) -> upstream.get(endpoint, "/tokenizer_info", LIMIT));
    }

    /** The body for a server of a pool. */
    @FunctionalInterface
    private interface BodyOf {
        byte[] pool(Pool pool);
    }

    private byte[] ask(String path, BodyOf body) {
        return askAny((endpoint, pool) -> upstream.post(endpoint, path, body.pool(pool), LIMIT));
    }

    private byte[] askAny(BiFunction<Endpoint, Pool, Leg> question) {
        Candidates candidates = new Candidates(pools, new Unrouted(client), meters);
        UpstreamException unreachable = null;
        for (Optional<Candidate> next = candidates.next(); next.isPresent(); next = candidates.next()) {
            Endpoint endpoint = next.get().endpoint();
            endpoint.enter();
            try (Leg leg = question.apply(endpoint, pools.get(next.get().pool()))) {
                byte[] answer = leg.wholeBody();
                if (leg.status() != 200) {
                    throw new RefusedException(leg.status(), answer);
                }
                return answer;
            } catch (UpstreamException e) {
                if (e.kind() != UpstreamException.Kind.NO_CONNECTION) {
                    throw e;
                }
                unreachable = e;
            } finally {
                endpoint.leave();
            }
        }
        throw unreachable == null
                ? new UpstreamException(UpstreamException.Kind.NO_CONNECTION, "No server of the pools takes connections.", null)
                : unreachable;
    }

    /** What a policy sees: there is no prompt yet. */
    private record Unrouted(Client client) implements PoolPolicy.RoutedRequest {
        @Override
        public String requestId() {
            return client.header("X-Request-Id").orElse("");
        }

        @Override
        public int[] promptTokenIds() {
            return new int[0];
        }

        @Override
        public Optional<String> header(String name) {
            return client.header(name);
        }
    }
}
