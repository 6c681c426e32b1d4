package io.glyphgate.proxy.openai;

import io.glyphgate.proxy.choice.OutputPlan;
import io.glyphgate.proxy.generate.AnswerForm;
import io.glyphgate.proxy.generate.Client;
import io.glyphgate.proxy.generate.Generate;
import io.glyphgate.proxy.generate.Plan;
import io.glyphgate.proxy.route.MisroutedException;
import io.glyphgate.proxy.route.Needs;
import io.glyphgate.proxy.route.Needs.Prompt;
import io.glyphgate.proxy.route.Route;
import io.glyphgate.proxy.route.Router;
import io.glyphgate.proxy.route.ServedModel;
import io.glyphgate.proxy.route.Way;
import io.glyphgate.proxy.tokenize.Prompts;
import io.glyphgate.proxy.wire.ChatRequest;
import io.glyphgate.proxy.wire.CompletionRequest;
import io.glyphgate.proxy.wire.DerenderBody.Kind;
import io.glyphgate.proxy.wire.GenerateBody;
import io.glyphgate.proxy.wire.InvalidBodyException;
import io.glyphgate.proxy.wire.OutputWishes;
import io.glyphgate.proxy.wire.ServerTexts;
import io.glyphgate.proxy.wire.TextRequest;
import io.glyphgate.spi.InvalidRequestException;
import io.glyphgate.spi.OutputModeProvider.Need;
import io.glyphgate.spi.Tokenizer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What answers at the doors for chats and completions. A request becomes a generate request, which goes the way of all generate
 * requests; only its answer has another form. Where servers have the same door and are to be asked at it, it is passed on to them.
 */
public final class OpenAiDoors {
    private static final String REQUEST_ID = "X-Request-Id";

    private final Router router;
    private final Generate generate;
    private final Prompts prompts;
    private final Rendering rendering;
    private final boolean strict;
    private final String fingerprint;

    /**
     * The doors.
     *
     * @param router knows the models
     * @param generate carries the generate requests
     * @param prompts makes the prompts
     * @param strict whether a field that is not known is refused
     * @param version the version of this proxy
     */
    public OpenAiDoors(Router router, Generate generate, Prompts prompts, boolean strict, String version) {
        this.router = router;
        this.generate = generate;
        this.prompts = prompts;
        rendering = new Rendering(prompts);
        this.strict = strict;
        fingerprint = "glyphgate-" + version;
    }

    /** Reads a request, and gives what makes its plans: that may wait for a server, which is no work. */
    @FunctionalInterface
    private interface Planner {
        Supplier<Planned> plan();
    }

    /**
     * What will be done for a request.
     *
     * @param plans a generate request for each prompt; at least one
     * @param joined what joins their answers; null if there is one
     * @param reader who gets the answer in place of the client, and reads it; null if nobody does
     */
    private record Planned(List<Plan> plans, @Nullable JoinedCompletion joined, @Nullable Client reader) {
        static Planned of(Plan plan) {
            return new Planned(List.of(plan), null, null);
        }
    }

    /** Answers {@code /v1/chat/completions}. */
    public void chat(byte[] body, Client client) {
        long start = System.nanoTime();
        planned(body.length, client, () -> chatPlan(body, client, start));
    }

    /** Answers {@code /v1/completions}. */
    public void completion(byte[] body, Client client) {
        long start = System.nanoTime();
        planned(body.length, client, () -> completionPlan(body, client, start));
    }

    /**
     * Answers a request whose plan another door makes.
     *
     * @param size how large its body is
     * @param planner reads the request, and gives what makes the plan; what either throws is the client's answer
     */
    public void answer(int size, Client client, Supplier<Supplier<Plan>> planner) {
        planned(size, client, () -> {
            Supplier<Plan> plan = planner.get();
            return () -> Planned.of(plan.get());
        });
    }

    private void planned(int size, Client client, Planner planner) {
        Planned planned;
        try {
            planned = prompts.work(size, client, planner::plan).get();
        } catch (RuntimeException e) {
            generate.refuse(e, Optional.empty(), client);
            return;
        }
        if (planned.joined == null) {
            generate.serve(planned.plans.getFirst(), planned.reader == null ? client : planned.reader);
        } else {
            planned.joined.serve(planned.plans, generate, client);
        }
    }

    /** The ID that the client gives its request, or a new one. */
    static String clientId(Client client, Optional<String> ofBody) {
        return client.header(REQUEST_ID).filter(id -> !id.isEmpty()).or(() -> ofBody).orElseGet(Plan::newId);
    }

    private Head head(String id, ServedModel model) {
        return new Head(id, model.name(), Instant.now().getEpochSecond(), fingerprint);
    }

    private static Needs needs(String name, Need need, boolean stream, boolean stops, Prompt prompt) {
        return new Needs(name, Set.of(need), false, stream, stops, prompt);
    }

    private Supplier<Planned> chatPlan(byte[] body, Client client, long start) {
        ChatRequest request = ChatRequest.of(body);
        ServedModel model = router.model(request.model());
        Optional<String> pool = client.header(Generate.POOL);
        String clientId = clientId(client, request.requestId());
        Ids ids = new Ids("chatcmpl-" + clientId, clientId);
        OutputPlan.Parsers parsers = model.parsers();
        boolean reasons = parsers.reasoning() != null || parsers.combined() != null;
        boolean parsed = reasons || parsers.tools() != null;
        boolean renders = router.renderServers(model).isPresent();
        RuntimeException refusal = null;
        if (renders || (model.tokenizer() != null && model.rendersMessages())) {
            try {
                request.check(strict);
                if (model.tokenizer() == null) {
                    return readByServers(Kind.CHAT, ChatForm.PATH, request, model, ids, pool, client, start);
                }
                List<Route> routes = router.routes(
                        model, needs(ChatForm.NAME, Need.MESSAGE, request.stream(), request.hasStops(), Prompt.PROXY), pool);
                Supplier<Plan> plan = rendered(request, model, routes, ids, client, start, text -> new ChatForm(
                        head(ids.id(), model), request, request.wishes().promptText() ? text : null, parsed, reasons));
                return () -> Planned.of(plan.get());
            } catch (InvalidRequestException | InvalidBodyException | MisroutedException e) {
                refusal = e; // a server may be able to do what the proxy is not
            }
        }
        List<Route> routes =
                ofServers(model, needs(ChatForm.NAME, Need.MESSAGE, request.stream(), false, Prompt.SERVER), pool, refusal);
        ChatForm form = new ChatForm(head(ids.id(), model), request, null, parsed, reasons);
        GenerateBody made = request.generateWithoutPrompt(ids.id(), model.name());
        Plan plan = generate.plan(made, model, form, routes, ids.id(), clientId, start);
        return () -> Planned.of(plan);
    }

    /**
     * What makes the generate request of a chat whose output the proxy reads.
     *
     * @param request the chat, checked
     * @param form makes what writes the answer, of the text of the prompt
     */
    private Supplier<Plan> rendered(
            ChatRequest request,
            ServedModel model,
            List<Route> routes,
            Ids ids,
            Client client,
            long start,
            Function<String, AnswerForm> form) {
        Tokenizer tokenizer = Objects.requireNonNull(model.tokenizer(), "who reads the output has a tokenizer");
        Optional<ServerRendering> servers = rendering(Kind.CHAT, ChatForm.PATH, request, model, client);
        if (servers.isEmpty()) {
            Rendering.Prompt prompt = rendering.chat(request, model, tokenizer);
            GenerateBody made = request.generate(ids.id(), model.name(), prompt.tokens(), Rendering.rules(request, model));
            Plan plan = generate.plan(made, model, form.apply(prompt.text()), routes, ids.id(), ids.client(), start);
            return () -> plan;
        }
        Rendering.checkCalls(request, model);
        return () -> servers.get().render(1, requests -> {
            GenerateBody made = requests.getFirst();
            String text = request.wishes().promptText() ? tokenizer.decode(made.promptTokenIds(), false) : "";
            return generate.plan(made, model, form.apply(text), routes, ids.id(), ids.client(), start);
        });
    }

    private Optional<ServerRendering> rendering(
            Kind kind, String path, TextRequest request, ServedModel model, Client client) {
        return router.renderServers(model)
                .map(servers -> new ServerRendering(
                        generate.inquiry(servers, model, client),
                        prompts,
                        client,
                        path,
                        new ServerTexts(kind, request.own(), request.stream())));
    }

    /** What makes the generate request of a chat or completion whose output servers read, because the proxy has no tokenizer. */
    private Supplier<Planned> readByServers(
            Kind kind,
            String path,
            TextRequest request,
            ServedModel model,
            Ids ids,
            Optional<String> pool,
            Client client,
            long start) {
        OutputWishes wishes = request.wishes();
        if (wishes.echo() || wishes.promptText()) {
            throw new InvalidRequestException(
                    wishes.echo() ? "echo" : "return_prompt_text",
                    "The prompt can be shown only where the proxy has the tokenizer of model '" + model.name()
                            + "': set models.*.tokenizer, or leave the field out.");
        }
        List<Route> routes = generate.routesOfTokens(model, request.stream(), request.hasStops(), pool);
        ServerRendering servers = rendering(kind, path, request, model, client).orElseThrow();
        return () -> servers.render(1, requests -> {
            GenerateBody made = requests.getFirst();
            return new Planned(
                    List.of(generate.planTokens(made, model, routes, ids.id(), ids.client(), start)),
                    null,
                    servers.reader(generate, head(ids.id(), model), made.promptTokenIds()));
        });
    }

    /**
     * Plans a chat that came in at a door of another API, which says what writes its answer. Only the proxy serves it.
     *
     * @param name a short name of the door
     * @param model the model, whose output the proxy reads
     * @param idPrefix what stands before the client's ID of the request
     * @param start when the request arrived, {@link System#nanoTime()}
     * @param form makes what writes the answer, of its ID
     */
    public Supplier<Plan> plan(
            String name,
            ChatRequest request,
            ServedModel model,
            String idPrefix,
            Client client,
            long start,
            Function<String, AnswerForm> form) {
        request.check(strict);
        List<Route> routes = router.routes(
                model,
                needs(name, Need.MESSAGE, request.stream(), request.hasStops(), Prompt.PROXY_ONLY),
                client.header(Generate.POOL));
        String clientId = clientId(client, request.requestId());
        String id = idPrefix + clientId;
        return rendered(request, model, routes, new Ids(id, clientId), client, start, text -> form.apply(id));
    }

    /**
     * What counts the tokens that the prompt of a chat has.
     *
     * @param request the chat, checked
     * @param model the model, whose tokenizer the proxy has
     */
    public Supplier<Integer> promptLength(ChatRequest request, ServedModel model, Client client) {
        Optional<ServerRendering> servers = rendering(Kind.CHAT, ChatForm.PATH, request, model, client);
        if (servers.isPresent()) {
            return () -> servers.get().render(1, requests -> requests.getFirst().promptTokenIds().length);
        }
        int length = rendering.chat(request, model, Objects.requireNonNull(model.tokenizer())).tokens().length;
        return () -> length;
    }

    /**
     * The IDs of a request.
     *
     * @param id what servers know it by, and what the answer is called
     * @param client the client's own, or one that was made for it
     */
    private record Ids(String id, String client) {
        /** The ID of the generate request for one of several prompts. */
        String ofPrompt(int index, int count) {
            return count == 1 ? id : id + "-" + index;
        }
    }

    /**
     * The pools whose servers take the request as it came.
     *
     * @param refusal why the proxy cannot take it, which counts if there is no such pool; null if it has no means to
     */
    private List<Route> ofServers(ServedModel model, Needs needs, Optional<String> pool, @Nullable RuntimeException refusal) {
        try {
            return router.routes(model, needs, pool);
        } catch (MisroutedException e) {
            throw refusal == null ? e : refusal;
        }
    }

    private Supplier<Planned> completionPlan(byte[] body, Client client, long start) {
        CompletionRequest request = CompletionRequest.of(body);
        ServedModel model = router.model(request.model());
        Optional<String> pool = client.header(Generate.POOL);
        String clientId = clientId(client, request.requestId());
        Ids ids = new Ids("cmpl-" + clientId, clientId);
        Head head = head(ids.id(), model);
        RuntimeException refusal = null;
        if (model.tokenizer() != null || router.renderServers(model).isPresent()) {
            try {
                request.check(strict);
                if (model.tokenizer() == null) {
                    checkOne(request, model);
                    return readByServers(Kind.COMPLETION, CompletionForm.PATH, request, model, ids, pool, client, start);
                }
                List<Route> routes = router.routes(
                        model, needs(CompletionForm.NAME, Need.TEXT, request.stream(), request.hasStops(), Prompt.PROXY), pool);
                if (request.prompts().size() == 1 || routes.getFirst().way() == Way.PROXY) {
                    return completions(request, model, model.tokenizer(), routes, ids, client, start);
                }
            } catch (InvalidRequestException | InvalidBodyException | MisroutedException e) {
                refusal = e; // a server may be able to do what the proxy is not
            }
        }
        List<Route> routes =
                ofServers(model, needs(CompletionForm.NAME, Need.TEXT, request.stream(), false, Prompt.SERVER), pool, refusal);
        CompletionForm form = new CompletionForm(head, request, "", OptionalInt.empty(), null);
        GenerateBody made = request.generateWithoutPrompt(head.id(), model.name());
        Plan plan = generate.plan(made, model, form, routes, head.id(), clientId, start);
        return () -> Planned.of(plan);
    }

    private static void checkOne(CompletionRequest request, ServedModel model) {
        if (request.prompts().size() > 1) {
            throw new InvalidRequestException(
                    "prompt",
                    "Several prompts at once need the tokenizer of model '" + model.name()
                            + "' in the proxy: set models.*.tokenizer, or send one prompt at a time.");
        }
    }

    /** What makes a generate request for each prompt. */
    private Supplier<Planned> completions(
            CompletionRequest request,
            ServedModel model,
            Tokenizer tokenizer,
            List<Route> routes,
            Ids ids,
            Client client,
            long start) {
        int count = request.prompts().size();
        Optional<ServerRendering> servers = rendering(Kind.COMPLETION, CompletionForm.PATH, request, model, client);
        if (servers.isPresent()) {
            return () -> servers.get().render(count, made -> completions(request, model, tokenizer, routes, ids, start, made));
        }
        List<GenerateBody> made = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int[] tokens = rendering.completion(request, request.prompts().get(i), model, tokenizer);
            made.add(request.generate(ids.ofPrompt(i, count), model.name(), tokens, Rendering.rules(model)));
        }
        Planned planned = completions(request, model, tokenizer, routes, ids, start, made);
        return () -> planned;
    }

    /** The plans of a completion, of the generate request for each prompt. */
    private Planned completions(
            CompletionRequest request,
            ServedModel model,
            Tokenizer tokenizer,
            List<Route> routes,
            Ids ids,
            long start,
            List<GenerateBody> made) {
        boolean several = made.size() > 1;
        // the answers to several prompts are joined, and those of servers cannot be
        List<Route> usable =
                several ? routes.stream().filter(route -> route.way() == Way.PROXY).toList() : routes;
        boolean echoes = request.wishes().echo() && !request.wishes().tokenIds();
        Head head = head(ids.id(), model);
        JoinedCompletion joined = several ? new JoinedCompletion(head, request.wishes()) : null;
        List<Plan> plans = new ArrayList<>();
        for (int i = 0; i < made.size(); i++) {
            String echoed = !echoes ? "" : text(request.prompts().get(i), tokenizer);
            CompletionForm form =
                    new CompletionForm(
                    head, request, echoed, several ? OptionalInt.of(i * request.wishes().choices()) : OptionalInt.empty(),
                    joined == null ? null : joined::count);
            plans.add(generate.plan(made.get(i), model, form, usable, ids.ofPrompt(i, made.size()), ids.client(), start));
        }
        return new Planned(plans, joined, null);
    }

    private static String text(CompletionRequest.Prompt prompt, Tokenizer tokenizer) {
        return switch (prompt) {
            case CompletionRequest.Prompt.Text text -> text.text();
            case CompletionRequest.Prompt.Tokens given -> tokenizer.decode(given.ids(), false);
        };
    }
}
