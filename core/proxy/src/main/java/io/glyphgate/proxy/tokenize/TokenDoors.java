package io.glyphgate.proxy.tokenize;

import io.glyphgate.proxy.generate.Client;
import io.glyphgate.proxy.generate.ClientGoneException;
import io.glyphgate.proxy.generate.Failures;
import io.glyphgate.proxy.generate.Inquiry;
import io.glyphgate.proxy.generate.RefusedException;
import io.glyphgate.proxy.observe.Meters;
import io.glyphgate.proxy.route.Router;
import io.glyphgate.proxy.route.ServedModel;
import io.glyphgate.proxy.route.TextPlace;
import io.glyphgate.proxy.wire.DetokenizeBody;
import io.glyphgate.proxy.wire.Failure;
import io.glyphgate.proxy.wire.HappyBody;
import io.glyphgate.proxy.wire.InvalidBodyException;
import io.glyphgate.proxy.wire.TokenAnswers;
import io.glyphgate.proxy.wire.TokenizeBody;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What answers at the doors for tokens and texts. A request names a model; the answer comes from that model's tokenizer in the
 * proxy, or from a server that has it.
 */
public final class TokenDoors implements AutoCloseable {
    private static final String JSON = "application/json";
    private static final String REQUEST_ID = "X-Request-Id";

    private final Router router;
    private final Inquiry.Source inquiries;
    private final Meters meters;
    private final String version;
    private final Prompts prompts;

    /**
     * The doors.
     *
     * @param router knows the models
     * @param inquiries asks servers
     * @param meters counts refusals
     * @param trusted whether a client may bring a chat template of its own
     * @param version the version of this proxy
     */
    public TokenDoors(Router router, Inquiry.Source inquiries, Meters meters, boolean trusted, String version) {
        this.router = router;
        this.inquiries = inquiries;
        this.meters = meters;
        prompts = new Prompts(trusted);
        this.version = version;
    }

    /**
     * What a request asks for.
     *
     * @param model the model that it names
     * @param answer makes the answer with the model's tokenizer
     */
    private record Asked(ServedModel model, Function<Words, byte[]> answer) {}

    /** Answers {@code /tokenize}. */
    public void tokenize(byte[] body, Client client) {
        answer(Family.VLLM, body, client, () -> {
            TokenizeBody request = TokenizeBody.parse(body);
            ServedModel model = router.model(request.model());
            return new Asked(model, words -> {
                if (words instanceof ServerWords servers) {
                    return servers.tokenize(body);
                }
                int[] ids = tokens(request, model, words);
                return TokenAnswers.tokenize(ids, model.maxLength(), request.tokenStrings() ? words.tokens(ids) : null);
            });
        });
    }

    /** Answers {@code /detokenize}. */
    public void detokenize(byte[] body, Client client) {
        answer(Family.VLLM, body, client, () -> {
            DetokenizeBody request = DetokenizeBody.parse(body);
            return new Asked(
                    router.model(request.model()), words -> TokenAnswers.prompt(words.decode(request.tokens())));
        });
    }

    /** Answers {@code /v2/tokenizer}. */
    public void tokenizerVersion2(byte[] body, Client client) {
        answer(Family.VERSION_2, body, client, () -> {
            TokenizeBody request = TokenizeBody.parseVersion2(body);
            ServedModel model = router.model(request.model());
            return new Asked(
                    model,
                    words -> words instanceof ServerWords servers
                            ? servers.tokenizeVersion2(request, body)
                            : TokenAnswers.tokenizeVersion2(tokens(request, model, words), model.maxLength()));
        });
    }

    /** Answers {@code /v2/decode}. */
    public void decodeVersion2(byte[] body, Client client) {
        answer(Family.VERSION_2, body, client, () -> {
            DetokenizeBody request = DetokenizeBody.parseVersion2(body);
            return new Asked(
                    router.model(request.model()), words -> TokenAnswers.prompt(words.decode(request.tokens())));
        });
    }

    /** Answers {@code /v1/tokenizer}. */
    public void tokenizer(byte[] body, Client client) {
        answer(Family.VERSION_1, body, client, () -> {
            HappyBody.Encode request = HappyBody.encode(body, Family.isJson(client), choice());
            return new Asked(router.model(request.model()), words -> {
                int[] ids = request.vanilla()
                        ? words.encode(request.text(), true)
                        : new HappyTokenizer(words).encode(request.text());
                return TokenAnswers.happyTokens(ids, strings(request.tokens(), request.vanilla(), words, ids));
            });
        });
    }

    /** Answers {@code /v1/decode}. */
    public void decode(byte[] body, Client client) {
        answer(Family.VERSION_1, body, client, () -> {
            HappyBody.Decode request = HappyBody.decode(body, Family.isJson(client), choice());
            int[] ids = request.tokenIds();
            return new Asked(router.model(request.model()), words -> {
                String text = request.vanilla() ? words.decode(ids) : new HappyTokenizer(words).decode(ids);
                return TokenAnswers.happyText(text, strings(request.tokens(), request.vanilla(), words, ids));
            });
        });
    }

    private static @Nullable List<? extends @Nullable String> strings(boolean wanted, boolean vanilla, Words words, int[] ids) {
        if (!wanted) {
            return null;
        }
        return vanilla ? words.tokens(ids) : new HappyTokenizer(words).tokens(ids);
    }

    /** Answers {@code /v1/split_text}. */
    public void splitText(byte[] body, Client client) {
        answer(Family.VERSION_1, body, client, () -> {
            HappyBody.Split request = HappyBody.split(body, Family.isJson(client), choice());
            return new Asked(
                    router.model(request.model()),
                    words -> TokenAnswers.split(
                            new HappyTokenizer(words).split(request.text(), request.least(), request.separators())));
        });
    }

    /** Answers {@code /v1/metadata_text}. */
    public void metadataText(byte[] body, Client client) {
        answer(Family.VERSION_1, body, client, () -> {
            HappyBody.Metadata request = HappyBody.metadata(body, Family.isJson(client), choice());
            ServedModel model = router.model(request.model());
            return new Asked(model, words -> {
                HappyTokenizer happy = new HappyTokenizer(words);
                long most = request.most().orElseGet(() -> model.maxLength().orElse(Integer.MAX_VALUE));
                return TokenAnswers.metadata(
                        happy.encode(request.text()).length, happy.cutOff(request.text(), request.fromLeft(), most));
            });
        });
    }

    /**
     * Answers {@code /v1/info}.
     *
     * @param model the model; empty for the first of the configuration
     */
    public void info(Optional<String> model, Client client) {
        guarded(Family.VERSION_1, client, () -> {
            ServedModel served = model.isPresent() ? router.model(model) : router.models().getFirst();
            return TokenAnswers.info(version, served.name(), served.maxLength());
        });
    }

    /**
     * Answers {@code /tokenizer_info}.
     *
     * @param model the model; empty for the only one
     */
    public void tokenizerInfo(Optional<String> model, Client client) {
        guarded(Family.VLLM, client, () -> {
            ServedModel served = router.model(model);
            return switch (router.textPlace(served)) {
                case TextPlace.Here here -> new TokenizerCard(served, here.tokenizer()).info();
                case TextPlace.Servers servers -> servers(servers, served, client).tokenizerInfo();
            };
        });
    }

    /** Whether there is more than one model, so that a request has to name one. */
    private boolean choice() {
        return router.models().size() > 1;
    }

    private int[] tokens(TokenizeBody request, ServedModel model, Words words) {
        String text = switch (request) {
            case TokenizeBody.Prompt prompt -> prompt.prompt();
            case TokenizeBody.Chat chat -> prompts.render(chat.chat(), model);
        };
        return words.encode(text, request.addSpecialTokens());
    }

    private ServerWords servers(TextPlace.Servers servers, ServedModel model, Client client) {
        return new ServerWords(inquiries.of(servers, model, client));
    }

    private void answer(Family family, byte[] body, Client client, Supplier<Asked> reader) {
        Optional<Failure> refusal = family.wrongType(client);
        if (refusal.isPresent()) {
            refuse(family, client, refusal.get());
            return;
        }
        guarded(family, client, () -> {
            Asked asked = prompts.work(body.length, client, reader);
            return switch (router.textPlace(asked.model())) {
                case TextPlace.Here here ->
                    prompts.work(body.length, client, () -> asked.answer().apply(new Words.Local(here.tokenizer())));
                // waiting for a server is no work
                case TextPlace.Servers servers -> asked.answer().apply(servers(servers, asked.model(), client));
            };
        });
    }

    private void guarded(Family family, Client client, Supplier<byte[]> answerer) {
        try {
            client.answer(200, headers(client), answerer.get());
        } catch (InvalidBodyException e) {
            refuse(client, family.invalidStatus(), Map.of(), Failure.INVALID_BODY, family.invalid(e));
        } catch (RefusedException e) {
            Failure failure = e.failure();
            refuse(client, failure.status(), later(failure), failure.slug(), family.refusal(e));
        } catch (RuntimeException e) {
            if (client.gone()) {
                throw e instanceof ClientGoneException gone ? gone : new ClientGoneException(e);
            }
            refuse(family, client, Failures.of(e));
        }
    }

    private void refuse(Family family, Client client, Failure failure) {
        refuse(client, failure.status(), later(failure), failure.slug(), family.failure(failure));
    }

    private static Map<String, String> later(Failure failure) {
        return failure.retryAfter()
                .map(time -> Map.of("Retry-After", String.valueOf(Math.max(1, time.toSeconds()))))
                .orElseGet(Map::of);
    }

    private void refuse(Client client, int status, Map<String, String> more, String slug, byte[] body) {
        meters.refused(slug);
        Map<String, String> headers = headers(client);
        headers.putAll(more);
        headers.put("X-Glyphgate-Error", slug);
        client.answer(status, headers, body);
    }

    private static Map<String, String> headers(Client client) {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("Content-Type", JSON);
        client.header(REQUEST_ID).ifPresent(id -> headers.put(REQUEST_ID, id));
        return headers;
    }

    /** What makes prompts, for other doors too; closed with these. */
    public Prompts prompts() {
        return prompts;
    }

    @Override
    public void close() {
        prompts.close();
    }
}
