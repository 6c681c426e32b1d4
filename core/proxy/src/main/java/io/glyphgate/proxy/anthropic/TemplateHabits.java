package io.glyphgate.proxy.anthropic;

import io.glyphgate.proxy.wire.ChatBody;
import io.glyphgate.proxy.wire.ChatRequest;
import io.glyphgate.spi.InvalidRequestException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * What the chat template of a model makes of things that Anthropic's API has and not every template knows; found out by trying, as
 * vLLM does.
 *
 * @param systemFirst whether it refuses a system that speaks between other messages
 * @param noThinking the {@code reasoning_effort} that comes nearest to no thinking: {@code none}, or {@code low} where the template
 *     refuses that or takes it for another one
 */
record TemplateHabits(boolean systemFirst, String noThinking) {
    /** For requests that have nothing to do with either. */
    static final TemplateHabits USUAL = new TemplateHabits(false, "none");

    private static final List<String> EFFORTS = List.of("low", "medium", "high", "xhigh", "max");
    private static final String HI = "{\"role\":\"user\",\"content\":\"Hi\"}";

    /**
     * Tries a template.
     *
     * @param render makes prompts with it
     */
    static TemplateHabits of(Function<ChatBody, String> render) {
        String system = "{\"role\":\"system\",\"content\":\"Be kind.\"}";
        boolean systemFirst = prompt("[" + String.join(",", system, HI, system, HI) + "]", "", render).isEmpty();
        Optional<String> none = withEffort("none", render);
        boolean known = none.isPresent()
                && EFFORTS.stream().noneMatch(effort -> withEffort(effort, render).equals(none));
        return new TemplateHabits(systemFirst, known ? "none" : "low");
    }

    private static Optional<String> withEffort(String effort, Function<ChatBody, String> render) {
        return prompt("[" + HI + "]", ",\"reasoning_effort\":\"" + effort + "\"", render);
    }

    private static Optional<String> prompt(String messages, String more, Function<ChatBody, String> render) {
        ChatRequest chat = ChatRequest.of(("{\"messages\":" + messages + more + "}").getBytes(StandardCharsets.UTF_8));
        chat.check(true);
        try {
            return Optional.of(render.apply(chat.chat()));
        } catch (InvalidRequestException e) {
            return Optional.empty();
        }
    }
}
