package io.glyphgate.proxy.anthropic;

import static org.assertj.core.api.Assertions.assertThat;

import io.glyphgate.proxy.wire.ChatBody;
import io.glyphgate.spi.InvalidRequestException;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** What is found out about chat templates, with templates that are only played. */
class TemplateHabitsTest {
    private static String effort(ChatBody chat) {
        return String.valueOf(chat.templateArguments().get("reasoning_effort"));
    }

    private static TemplateHabits of(Function<ChatBody, String> template) {
        return TemplateHabits.of(template);
    }

    @Test
    void aTemplateThatTakesAllIsTakenAtItsWord() {
        assertThat(of(chat -> chat.messages() + effort(chat))).isEqualTo(new TemplateHabits(false, "none"));
    }

    @Test
    void aTemplateMayWantTheSystemAtTheStart() {
        assertThat(of(chat -> {
                    List<Map<String, Object>> later = List.copyOf(chat.messages()).subList(1, chat.messages().size());
                    if (later.stream().anyMatch(message -> "system".equals(message.get("role")))) {
                        throw new InvalidRequestException("", "System message must be at the beginning.");
                    }
                    return effort(chat);
                }))
                .isEqualTo(new TemplateHabits(true, "none"));
    }

    @Test
    void aTemplateMayTakeNoneForAnotherEffort() {
        assertThat(of(chat -> effort(chat).equals("none") ? "max" : effort(chat)).noThinking()).isEqualTo("low");
    }

    @Test
    void aTemplateMayRefuseNone() {
        assertThat(of(chat -> {
                            if (effort(chat).equals("none")) {
                                throw new InvalidRequestException("", "no such effort");
                            }
                            return effort(chat);
                        })
                        .noThinking())
                .isEqualTo("low");
    }

    @Test
    void thinkingIsWhatATemplateMayKnowInPlaceOfAnEffort() {
        assertThat(of(chat -> String.valueOf(chat.templateArguments().get("enable_thinking"))).noThinking()).isEqualTo("none");
    }
}
