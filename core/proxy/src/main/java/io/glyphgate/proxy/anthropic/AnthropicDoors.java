package io.glyphgate.proxy.anthropic;

import io.glyphgate.proxy.generate.Client;
import io.glyphgate.proxy.generate.Generate;
import io.glyphgate.proxy.generate.Plan;
import io.glyphgate.proxy.openai.OpenAiDoors;
import io.glyphgate.proxy.openai.OwnAnswers;
import io.glyphgate.proxy.route.Router;
import io.glyphgate.proxy.route.ServedModel;
import io.glyphgate.proxy.tokenize.Prompts;
import io.glyphgate.proxy.wire.ChatRequest;
import io.glyphgate.proxy.wire.JsonOut;
import io.glyphgate.proxy.wire.MessagesRequest;
import io.glyphgate.spi.InvalidRequestException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * What answers at the doors of Anthropic's API. Messages become a chat, which goes the way of all chats that the proxy renders; only
 * its answer has another form.
 */
public final class AnthropicDoors {
    private static final String ID_PREFIX = "msg_";

    private final Router router;
    private final OwnAnswers answers;
    private final OpenAiDoors chats;
    private final Prompts prompts;
    private final boolean strict;
    private final Map<ServedModel, TemplateHabits> habits = new ConcurrentHashMap<>();

    /**
     * The doors.
     *
     * @param router knows the models
     * @param generate tells clients of refusals
     * @param chats plans and answers the chats
     * @param prompts makes the prompts
     * @param strict whether a field that is not known is refused
     */
    public AnthropicDoors(Router router, Generate generate, OpenAiDoors chats, Prompts prompts, boolean strict) {
        this.router = router;
        answers = new OwnAnswers(generate);
        this.chats = chats;
        this.prompts = prompts;
        this.strict = strict;
    }

    /** Answers {@code /v1/messages}. */
    public void messages(byte[] body, Client client) {
        long start = System.nanoTime();
        chats.answer(body.length, client, () -> plan(body, client, start));
    }

    private Supplier<Plan> plan(byte[] body, Client client, long start) {
        MessagesRequest request = MessagesRequest.of(body);
        ServedModel model = router.model(request.model());
        request.check(strict, true);
        requireRenderer(model);
        return chats.plan(
                MessagesForm.NAME,
                chat(request, model),
                model,
                ID_PREFIX,
                client,
                start,
                id -> new MessagesForm(id, model.name()));
    }

    private ChatRequest chat(MessagesRequest request, ServedModel model) {
        boolean asksTemplate = model.rendersMessages() && (request.hasLaterSystem() || request.disablesThinking());
        TemplateHabits known = asksTemplate
                ? habits.computeIfAbsent(model, m -> TemplateHabits.of(chat -> prompts.render(chat, m)))
                : TemplateHabits.USUAL;
        return request.chat(known.systemFirst(), known.noThinking());
    }

    private void requireRenderer(ServedModel model) {
        if (model.tokenizer() == null || !(model.rendersMessages() || router.renderServers(model).isPresent())) {
            throw new InvalidRequestException(
                    "model",
                    "Messages of model '" + model.name() + "' cannot be rendered here: it has no tokenizer with a chat template in this"
                            + " proxy.");
        }
    }

    /** Answers {@code /v1/messages/count_tokens}. */
    public void countTokens(byte[] body, Client client) {
        answers.answer(client, () -> {
            int count = prompts.work(body.length, client, () -> count(body, client)).get();
            JsonOut out = new JsonOut();
            out.beginObject().name("input_tokens").number(count);
            out.name("context_management").beginObject().name("original_input_tokens").number(count).endObject();
            return out.endObject().toByteArray();
        });
    }

    private Supplier<Integer> count(byte[] body, Client client) {
        MessagesRequest request = MessagesRequest.of(body);
        ServedModel model = router.model(request.model());
        request.check(strict, false);
        requireRenderer(model);
        ChatRequest chat = chat(request, model);
        chat.check(strict);
        return chats.promptLength(chat, model, client);
    }
}
