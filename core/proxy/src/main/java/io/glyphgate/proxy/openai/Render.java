package io.glyphgate.proxy.openai;

import io.glyphgate.proxy.choice.Choice;
import io.glyphgate.proxy.choice.OutputPlan;
import io.glyphgate.proxy.choice.StopStrings;
import io.glyphgate.proxy.generate.Client;
import io.glyphgate.proxy.generate.Generate;
import io.glyphgate.proxy.route.Router;
import io.glyphgate.proxy.route.ServedModel;
import io.glyphgate.proxy.tokenize.Prompts;
import io.glyphgate.proxy.wire.ChatRequest;
import io.glyphgate.proxy.wire.CompletionRequest;
import io.glyphgate.proxy.wire.JsonOut;
import io.glyphgate.proxy.wire.ModelRules;
import io.glyphgate.proxy.wire.ParseRequest;
import io.glyphgate.proxy.wire.RenderedParsing;
import io.glyphgate.spi.InvalidRequestException;
import io.glyphgate.spi.MessageDelta;
import io.glyphgate.spi.OutputModeProvider.Need;
import io.glyphgate.spi.ParserProvider;
import io.glyphgate.spi.Tokenizer;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * What answers at the render doors: makes the generate request of a chat or a completion, for a client that asks a server by
 * itself. It is the request that this proxy would ask with.
 */
public final class Render {
    /** What no parser takes for a marker or the start of one. */
    private static final String PLAIN = "x";

    private final Router router;
    private final OwnAnswers answers;
    private final Prompts prompts;
    private final Rendering rendering;
    private final boolean strict;

    /** What the first text of an output is, behind a prompt. */
    private enum Start {
        REASONING,
        CONTENT,
        UNDECIDED
    }

    /**
     * The doors.
     *
     * @param router knows the models
     * @param generate refuses what cannot be answered
     * @param prompts makes the prompts
     * @param strict whether a field that is not known is refused
     */
    public Render(Router router, Generate generate, Prompts prompts, boolean strict) {
        this.router = router;
        answers = new OwnAnswers(generate);
        this.prompts = prompts;
        rendering = new Rendering(prompts);
        this.strict = strict;
    }

    /** Answers {@code /v1/chat/completions/render}. */
    public void chat(byte[] body, Client client) {
        answer(body, client, () -> {
            ChatRequest request = ChatRequest.of(body);
            ServedModel model = router.model(request.model());
            Tokenizer tokenizer = tokenizer(model);
            request.check(strict);
            int[] prompt = rendering.chat(request, model, tokenizer).tokens();
            ModelRules rules = Rendering.rules(request, model);
            RenderedParsing parsing = new RenderedParsing(
                    hasSpecialMarkers(model, tokenizer),
                    rules.reasons() ? reasoningEnded(request, prompt, model, tokenizer, rules) : Optional.empty());
            String id = "chatcmpl-" + OpenAiDoors.clientId(client, request.requestId());
            return request.rendered(id, model.name(), prompt, rules, parsing);
        });
    }

    /** Answers {@code /v1/completions/render}. */
    public void completion(byte[] body, Client client) {
        answer(body, client, () -> {
            CompletionRequest request = CompletionRequest.of(body);
            ServedModel model = router.model(request.model());
            Tokenizer tokenizer = tokenizer(model);
            request.check(strict);
            String id = "cmpl-" + OpenAiDoors.clientId(client, request.requestId());
            List<CompletionRequest.Prompt> all = request.prompts();
            JsonOut out = new JsonOut(4096);
            out.beginArray();
            for (int i = 0; i < all.size(); i++) {
                int[] prompt = rendering.completion(request, all.get(i), model, tokenizer);
                byte[] made = request.rendered(
                        all.size() == 1 ? id : id + "-" + i, model.name(), prompt, Rendering.rules(model), null);
                out.rawValue(made, 0, made.length);
            }
            return out.endArray().toByteArray();
        });
    }

    private static Tokenizer tokenizer(ServedModel model) {
        Tokenizer tokenizer = model.tokenizer();
        if (tokenizer == null) {
            throw new InvalidRequestException(
                    "model",
                    "Model '" + model.name() + "' has no tokenizer here, so nothing can be rendered for it: set models.*.tokenizer.");
        }
        return tokenizer;
    }

    private void answer(byte[] body, Client client, Supplier<byte[]> work) {
        answers.answer(client, () -> prompts.work(body.length, client, work));
    }

    /** Whether a server that leaves special tokens out of its text would leave out what the parsers look for. */
    private static boolean hasSpecialMarkers(ServedModel model, Tokenizer tokenizer) {
        return Stream.of(model.parsers().combined(), model.parsers().reasoning(), model.parsers().tools())
                .filter(Objects::nonNull)
                .map(ParserProvider.class::cast)
                .flatMap(parser -> parser.markers().stream())
                .anyMatch(marker -> tokenizer.tokenId(marker).stream().anyMatch(tokenizer::isSpecial));
    }

    /**
     * Whether a prompt has ended the reasoning, so that a server holds the output to a constraint from the first token on. The
     * parser tells by what it does with the first text, behind this prompt and where nothing was said. Empty where the output may
     * reason or not: the server sees.
     */
    private static Optional<Boolean> reasoningEnded(
            ChatRequest request, int[] prompt, ServedModel model, Tokenizer tokenizer, ModelRules rules) {
        ParseRequest parse = request.generated("", model.name(), prompt, 1, Set.of(), rules).parseRequest();
        return switch (start(prompt, parse, model, tokenizer)) {
            case REASONING -> Optional.of(false);
            case CONTENT ->
                start(new int[0], ParseRequest.DEFAULT, model, tokenizer) == Start.REASONING ? Optional.of(true) : Optional.empty();
            case UNDECIDED -> Optional.empty();
        };
    }

    private static Start start(int[] prompt, ParseRequest parse, ServedModel model, Tokenizer tokenizer) {
        Choice choice = new Choice(new OutputPlan(
                model.name(),
                Set.of(Need.MESSAGE),
                tokenizer,
                model.parsers(),
                prompt,
                true,
                true,
                new StopStrings(List.of(), false, 0),
                false,
                parse));
        int[] tokens = tokenizer.encode(PLAIN, false);
        choice.accept(tokens, tokens.length, null);
        MessageDelta message = choice.step().message();
        if (!message.reasoning().isEmpty()) {
            return Start.REASONING;
        }
        return message.content().isEmpty() ? Start.UNDECIDED : Start.CONTENT;
    }
}
