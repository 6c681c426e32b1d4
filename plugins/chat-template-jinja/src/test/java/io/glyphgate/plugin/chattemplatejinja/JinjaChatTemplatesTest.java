package io.glyphgate.plugin.chattemplatejinja;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.glyphgate.spi.ChatTemplate.ContentFormat;
import io.glyphgate.spi.ChatTemplateException;
import io.glyphgate.spi.ChatTemplateProvider;
import io.glyphgate.testkit.ChatTemplateContract;
import java.time.LocalDateTime;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JinjaChatTemplatesTest extends ChatTemplateContract {
    private final JinjaChatTemplates provider = new JinjaChatTemplates();

    @Override
    protected ChatTemplateProvider provider() {
        return provider;
    }

    @Override
    protected String contents() {
        return "{% for message in messages %}{{ message.content + '\\n' }}{% endfor %}";
    }

    @Override
    protected String refusing() {
        return "{{ raise_exception('not today') }}";
    }

    @Override
    protected String broken() {
        return "{% for message in messages %}";
    }

    @Test
    void failuresKeepTheirPlace() throws ChatTemplateException {
        var template = provider.compile("one\n{{ 'a' + messages }}");
        assertThatThrownBy(() -> template.render(Map.of("messages", 5), LocalDateTime.MIN))
                .isInstanceOfSatisfying(ChatTemplateException.class, e -> {
                    assertThat(e.line()).isEqualTo(2);
                    assertThat(e.expression()).isEqualTo("'a' + messages");
                    assertThat(e.reason()).isEqualTo("can only concatenate str (not \"int\") to str");
                    assertThat(e).hasMessage("chat template line 2, at 'a' + messages: " + e.reason());
                });
    }

    @Test
    void templatesThatWalkThePartsOfAContentSaySo() throws ChatTemplateException {
        assertThat(provider.compile("{% for m in messages %}{% for p in m.content %}{% endfor %}{% endfor %}")
                        .contentFormat())
                .isEqualTo(ContentFormat.OPENAI);
    }
}
