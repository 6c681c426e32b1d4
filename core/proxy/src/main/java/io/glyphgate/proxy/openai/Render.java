package io.glyphgate.proxy.openai;

import io.glyphgate.proxy.choice.Choice;
import io.glyphgate.proxy.choice.OutputPlan;
import io.glyphgate.proxy.choice.StopStrings;
import io.glyphgate.proxy.generate.Client;
import io.glyphgate.proxy.generate.Generate;
import io.glyphgate.proxy.route.Router;
import io.glyphgate.proxy.route.ServedModel;
import io.glyphgate.proxy.route.TextPlace;
import io.glyphgate.proxy.tokenize.Prompts;
import io.glyphgate.proxy.wire.ChatRequest;
import io.glyphgate.proxy.wire.CompletionRequest;
import io.glyphgate.proxy.wire.DerenderBody.Kind;
import io.glyphgate.proxy.wire.JsonOut;
import io.glyphgate.proxy.wire.ModelRules;
import io.glyphgate.proxy.wire.ParseRequest;
import io.glyphgate.proxy.wire.RenderedParsing;
import io.glyphgate.proxy.wire.ServerTexts;
import io.glyphgate.proxy.wire.TextRequest;
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
 * itself. It is the request that this proxy would ask with. Where servers make the prompts of a model, they make the answer.
 */
public final class Render {
    /** What no parser takes for a marker or the start of one. */
    private static final String PLAIN = "x";

    private final Router router;
    private final Generate generate;
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
     * @param generate asks servers, and refuses what cannot be answered
     * @param prompts makes the prompts
     * @param strict whether a field that is not known is refused
     */
    public Render(Router router, Generate generate, Prompts prompts, boolean strict) {
        this.router = router;
        this.generate = generate;
        answers = new OwnAnswers(generate);
        this.prompts = prompts;
        rendering = new Rendering(prompts);
        this.strict = strict;
    }

    /** Answers {@code /v1/chat/completions/render}. */
    public void chat(byte[] body, Client client) {
        answers.answer(client, () -> prompts.work(body.length, client, () -> chatAnswer(body, client)).get());
    }

    private Supplier<byte[]> chatAnswer(byte[] body, Client client) {
        ChatRequest request = ChatRequest.of(body);
        ServedModel model = router.model(request.model());
        request.check(strict);
        Optional<TextPlace.Servers> servers = servers(model);
        if (servers.isPresent()) {
            return forwarded(Kind.CHAT, ChatForm.PATH, request, model, servers.get(), client);
        }
        Tokenizer tokenizer = tokenizer(model);
        int[] prompt = rendering.chat(request, model, tokenizer).tokens();
        ModelRules rules = Rendering.rules(request, model);
        RenderedParsing parsing = new RenderedParsing(
                hasSpecialMarkers(model, tokenizer),
                rules.reasons() ? reasoningEnded(request, prompt, model, tokenizer, rules) : Optional.empty());
        String id = "chatcmpl-" + OpenAiDoors.clientId(client, request.requestId());
        byte[] answer = request.rendered(id, model.name(), prompt, rules, parsing);
        return () -> answer;
    }

    /** Answers {@code /v1/completions/render}. */
    public void completion(byte[] body, Client client) {
        answers.answer(client, () -> prompts.work(body.length, client, () -> completionAnswer(body, client)).get());
    }

    private Supplier<byte[]> completionAnswer(byte[] body, Client client) {
        CompletionRequest request = CompletionRequest.of(body);
        ServedModel model = router.model(request.model());
        request.check(strict);
        Optional<TextPlace.Servers> servers = servers(model);
        if (servers.isPresent()) {
            return forwarded(Kind.COMPLETION, CompletionForm.PATH, request, model, servers.get(), client);
        }
        Tokenizer tokenizer = tokenizer(model);
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
        byte[] answer = out.endArray().toByteArray();
        return () -> answer;
    }

    /** Who makes the prompts of a model; empty if the proxy does. */
    private Optional<TextPlace.Servers> servers(ServedModel model) {
        return router.renderServers(model)
                .or(() -> router.textPlace(model) instanceof TextPlace.Servers servers ? Optional.of(servers) : Optional.empty());
    }

    private Supplier<byte[]> forwarded(
            Kind kind, String path, TextRequest request, ServedModel model, TextPlace.Servers servers, Client client) {
        ServerTexts texts = new ServerTexts(kind, request.own(), request.stream());
        return () -> {
            byte[] answer = generate.inquiry(servers, model, client).post(path + ServerRendering.RENDER, texts::render);
            return prompts.work(answer.length, client, () -> ServerTexts.named(answer, model.name()));
        };
    }

    private static Tokenizer tokenizer(ServedModel model) {
        return Objects.requireNonNull(model.tokenizer(), "else servers make its prompts");
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
