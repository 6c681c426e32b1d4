package io.glyphgate.plugin.chattemplatejinja;

import io.glyphgate.jinja.TemplateException;
import io.glyphgate.jinja.template.Template;
import io.glyphgate.spi.ChatTemplate;
import io.glyphgate.spi.ChatTemplateException;
import io.glyphgate.spi.ChatTemplateProvider;
import java.time.LocalDateTime;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The templates of Hugging Face: Jinja in its immutable sandbox, with the functions that transformers adds. */
public final class JinjaChatTemplates implements ChatTemplateProvider {
    @Override
    public String name() {
        return "jinja";
    }

    @Override
    public ChatTemplate compile(String source) throws ChatTemplateException {
        return new JinjaChatTemplate(translating(() -> Template.compile(source)));
    }

    private record JinjaChatTemplate(Template template) implements ChatTemplate {
        @Override
        public ContentFormat contentFormat() {
            return template.walksContentParts() ? ContentFormat.OPENAI : ContentFormat.STRING;
        }

        @Override
        public String render(Map<String, ? extends @Nullable Object> variables, LocalDateTime now)
                throws ChatTemplateException {
            return translating(() -> template.render(variables, now));
        }
    }

    private static <T> T translating(Supplier<T> call) throws ChatTemplateException {
        try {
            return call.get();
        } catch (TemplateException e) {
            throw new ChatTemplateException(e.reason(), e.line().orElse(0), e.expression());
        }
    }
}
