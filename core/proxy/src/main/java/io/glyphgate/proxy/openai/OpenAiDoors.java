package io.glyphgate.proxy.openai;

import io.glyphgate.proxy.choice.OutputPlan;
import io.glyphgate.proxy.generate.AnswerForm;
import io.glyphgate.proxy.generate.Client;
import io.glyphgate.proxy.generate.ClientGoneException;
import io.glyphgate.proxy.generate.Generate;
import io.glyphgate.proxy.generate.Plan;
import io.glyphgate.proxy.route.MisroutedException;
import io.glyphgate.proxy.route.Needs;
import io.glyphgate.proxy.route.Needs.Prompt;
import io.glyphgate.proxy.route.Route;
import io.glyphgate.proxy.route.Router;
import io.glyphgate.proxy.route.ServedModel;
import io.glyphgate.proxy.route.Way;
import io.glyphgate.proxy.tokenize.LongWork;
import io.glyphgate.proxy.tokenize.Prompts;
import io.glyphgate.proxy.wire.CallRules;
import io.glyphgate.proxy.wire.ChatRequest;
import io.glyphgate.proxy.wire.CompletionRequest;
import io.glyphgate.proxy.wire.GenerateBody;
import io.glyphgate.proxy.wire.InvalidBodyException;
import io.glyphgate.spi.InvalidRequestException;
import io.glyphgate.spi.OutputModeProvider.Need;
import io.glyphgate.spi.ParserProvider;
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

    /** Makes the plans of a request. */
    @FunctionalInterface
    private interface Planner {
        Planned plan();
    }

    /**
     * What will be done for a request.
     *
     * @param plans a generate request for each prompt that the proxy makes; at least one
     * @param joined what joins their answers; null if there is one
     */
    private record Planned(List<Plan> plans, @Nullable JoinedCompletion joined) {}

    /** Answers {@code /v1/chat/completions}. */
    public void chat(byte[] body, Client client) {
        long start = System.nanoTime();
        answer(body.length, client, () -> chatPlan(body, client, start));
    }

    /** Answers {@code /v1/completions}. */
    public void completion(byte[] body, Client client) {
        long start = System.nanoTime();
        answer(body.length, client, () -> completionPlan(body, client, start));
    }

    /**
     * Answers a request whose plan another door makes.
     *
     * @param size how large its body is
     * @param planner makes the plan; what it throws is the client's answer
     */
    public void answer(int size, Client client, Supplier<Plan> planner) {
        answer(size, client, () -> new Planned(List.of(planner.get()), null));
    }

    private void answer(int size, Client client, Planner planner) {
        Planned planned;
        try {
            planned = prompts.work(size, client, planner::plan);
        } catch (RuntimeException e) {
            generate.refuse(e, Optional.empty(), client);
            return;
        }
        if (planned.joined == null) {
            generate.serve(planned.plans.getFirst(), client);
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

    private Planned chatPlan(byte[] body, Client client, long start) {
        ChatRequest request = ChatRequest.of(body);
        ServedModel model = router.model(request.model());
        Tokenizer tokenizer = model.tokenizer();
        Optional<String> pool = client.header(Generate.POOL);
        String clientId = clientId(client, request.requestId());
        String id = "chatcmpl-" + clientId;
        OutputPlan.Parsers parsers = model.parsers();
        boolean reasons = parsers.reasoning() != null || parsers.combined() != null;
        boolean parsed = reasons || parsers.tools() != null;
        RuntimeException refusal = null;
        if (tokenizer != null && model.rendersMessages()) {
            try {
                request.check(strict);
                List<Route> routes = router.routes(
                        model, needs(ChatForm.NAME, Need.MESSAGE, request.stream(), request.hasStops(), Prompt.PROXY), pool);
                return new Planned(List.of(rendered(request, model, routes, new Ids(id, clientId), start, text -> new ChatForm(
                        head(id, model), request, request.wishes().promptText() ? text : null, parsed, reasons))), null);
            } catch (InvalidRequestException | InvalidBodyException e) {
                refusal = e; // a server may be able to do what the proxy is not
            }
        }
        List<Route> routes =
                ofServers(model, needs(ChatForm.NAME, Need.MESSAGE, request.stream(), false, Prompt.SERVER), pool, refusal);
        ChatForm form = new ChatForm(head(id, model), request, null, parsed, reasons);
        GenerateBody made = request.generateWithoutPrompt(id, model.name());
        return new Planned(List.of(generate.plan(made, model, form, routes, id, clientId, start)), null);
    }

    /**
     * The generate request of a chat whose prompt the proxy makes.
     *
     * @param request the chat, checked
     * @param form makes what writes the answer, of the text of the prompt
     */
    private Plan rendered(
            ChatRequest request, ServedModel model, List<Route> routes, Ids ids, long start, Function<String, AnswerForm> form) {
        Tokenizer tokenizer = Objects.requireNonNull(model.tokenizer(), "who renders messages has a tokenizer");
        Rendering.Prompt prompt = rendering.chat(request, model, tokenizer);
        GenerateBody made = request.generate(ids.id(), model.name(), prompt.tokens(), Rendering.rules(request, model));
        return generate.plan(made, model, form.apply(prompt.text()), routes, ids.id(), ids.client(), start);
    }

    /**
     * Plans a chat that came in at a door of another API, which says what writes its answer. Only the proxy serves it.
     *
     * @param name a short name of the door
     * @param model the model, for which the proxy renders messages
     * @param idPrefix what stands before the client's ID of the request
     * @param start when the request arrived, {@link System#nanoTime()}
     * @param form makes what writes the answer, of its ID
     */
    public Plan plan(
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
        return rendered(request, model, routes, new Ids(id, clientId), start, text -> form.apply(id));
    }

    /**
     * The IDs of a request.
     *
     * @param id what servers know it by, and what the answer is called
     * @param client the client's own, or one that was made for it
     */
    private record Ids(String id, String client) {}

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

    private Planned completionPlan(byte[] body, Client client, long start) {
        CompletionRequest request = CompletionRequest.of(body);
        ServedModel model = router.model(request.model());
        Tokenizer tokenizer = model.tokenizer();
        Optional<String> pool = client.header(Generate.POOL);
        String clientId = clientId(client, request.requestId());
        Head head = head("cmpl-" + clientId, model);
        RuntimeException refusal = null;
        if (tokenizer != null) {
            try {
                request.check(strict);
                List<Route> routes = router.routes(
                        model, needs(CompletionForm.NAME, Need.TEXT, request.stream(), request.hasStops(), Prompt.PROXY), pool);
                if (request.prompts().size() == 1 || routes.getFirst().way() == Way.PROXY) {
                    return completions(request, model, tokenizer, routes, head, clientId, start);
                }
            } catch (InvalidRequestException | InvalidBodyException e) {
                refusal = e; // a server may be able to do what the proxy is not
            }
        }
        List<Route> routes =
                ofServers(model, needs(CompletionForm.NAME, Need.TEXT, request.stream(), false, Prompt.SERVER), pool, refusal);
        CompletionForm form = new CompletionForm(head, request, "", OptionalInt.empty(), null);
        GenerateBody made = request.generateWithoutPrompt(head.id(), model.name());
        return new Planned(List.of(generate.plan(made, model, form, routes, head.id(), clientId, start)), null);
    }

    /** A generate request for each prompt. */
    private Planned completions(
            CompletionRequest request,
            ServedModel model,
            Tokenizer tokenizer,
            List<Route> routes,
            Head head,
            String clientId,
            long start) {
        boolean several = request.prompts().size() > 1;
        // the answers to several prompts are joined, and those of servers cannot be
        List<Route> usable =
                several ? routes.stream().filter(route -> route.way() == Way.PROXY).toList() : routes;
        boolean echoes = request.wishes().echo() && !request.wishes().tokenIds();
        JoinedCompletion joined = several ? new JoinedCompletion(head, request.wishes()) : null;
        List<Plan> plans = new ArrayList<>();
        for (int i = 0; i < request.prompts().size(); i++) {
            CompletionRequest.Prompt prompt = request.prompts().get(i);
            int[] tokens = rendering.completion(request, prompt, model, tokenizer);
            String echoed = !echoes ? "" : text(prompt, tokenizer);
            String id = several ? head.id() + "-" + i : head.id();
            CompletionForm form =
                    new CompletionForm(
                    head, request, echoed, several ? OptionalInt.of(i * request.wishes().choices()) : OptionalInt.empty(),
                    joined == null ? null : joined::count);
            GenerateBody made = request.generate(id, model.name(), tokens, Rendering.rules(model));
            plans.add(generate.plan(made, model, form, usable, id, clientId, start));
        }
        return new Planned(plans, joined);
    }

    private static String text(CompletionRequest.Prompt prompt, Tokenizer tokenizer) {
        return switch (prompt) {
            case CompletionRequest.Prompt.Text text -> text.text();
            case CompletionRequest.Prompt.Tokens given -> tokenizer.decode(given.ids(), false);
        };
    }
}
