package io.glyphgate.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.glyphgate.spi.ChatTemplate;
import io.glyphgate.spi.ChatTemplateException;
import io.glyphgate.spi.ChatTemplateProvider;
import java.math.BigInteger;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/**
 * What every provider of chat templates promises. Extend it in the tests of a plugin:
 *
 * <pre>{@code
 * class AcmeTemplatesTest extends ChatTemplateContract {
 *     protected ChatTemplateProvider provider() { return new AcmeTemplates(); }
 *     protected String contents() { return "{{#messages}}{{content}}\n{{/messages}}"; }
 *     protected String refusing() { return "{{fail}}"; }
 *     protected String broken() { return "{{#messages}}"; }
 * }
 * }</pre>
 *
 * @since 1.0
 */
public abstract class ChatTemplateContract {
    private static final LocalDateTime NOW = LocalDateTime.of(2025, 3, 9, 14, 5, 6);

    /** For the author's test class. */
    protected ChatTemplateContract() {}

    /**
     * The provider.
     *
     * @return the provider, as {@link ServiceLoader} would make it
     */
    protected abstract ChatTemplateProvider provider();

    /**
     * A template that writes the content of each message of {@code messages}, each with a line feed after it.
     *
     * @return its source
     */
    protected abstract String contents();

    /**
     * A template that refuses to render whatever it is given.
     *
     * @return its source
     */
    protected abstract String refusing();

    /**
     * Something that is no template.
     *
     * @return its source
     */
    protected abstract String broken();

    /** The service file names the provider. */
    @Test
    public void theServiceLoaderFindsTheProvider() {
        assertThat(ServiceLoader.load(ChatTemplateProvider.class))
                .anySatisfy(found -> assertThat(found.getClass()).isEqualTo(provider().getClass()));
        assertThat(provider().name()).matches("[a-z0-9_-]+");
    }

    /** Contents come out as they went in, whatever characters they hold. */
    @Test
    public void contentsAreWrittenAsTheyAre() throws ChatTemplateException {
        ChatTemplate template = provider().compile(contents());
        assertThat(template.render(messages(" Hi \t", "<b>{{ x }}</b> {% y %} &amp; 'q' \"q\" \\n", "größe 東京 🚢"), NOW))
                .isEqualTo(" Hi \t\n<b>{{ x }}</b> {% y %} &amp; 'q' \"q\" \\n\ngröße 東京 🚢\n");
        assertThat(template.render(messages(), NOW)).isEmpty();
    }

    /** Every type of value can be given, also those that the template does not read. */
    @Test
    public void everyValueOfJsonCanBeGiven() throws ChatTemplateException {
        Map<String, Object> variables = messages("Hi");
        variables.put("numbers", List.of(1, 2L, BigInteger.TWO.pow(80), 1.5));
        variables.put("truth", true);
        variables.put("nothing", null);
        assertThat(provider().compile(contents()).render(variables, NOW)).isEqualTo("Hi\n");
    }

    /** Nothing that is given is changed: unmodifiable maps and lists are fine. */
    @Test
    public void whatIsGivenIsNotChanged() throws ChatTemplateException {
        Map<String, Object> variables = Collections.unmodifiableMap(messages("Hi", "Ho"));
        assertThat(provider().compile(contents()).render(variables, NOW)).isEqualTo("Hi\nHo\n");
        assertThat(variables).isEqualTo(messages("Hi", "Ho"));
    }

    /** A template is used by many threads at once. */
    @Test
    public void manyThreadsMayRenderAtOnce() throws Exception {
        ChatTemplate template = provider().compile(contents());
        try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
            List<Future<String>> rendered = new ArrayList<>();
            for (int i = 0; i < 64; i++) {
                String content = "message " + i;
                rendered.add(threads.submit(() -> template.render(messages(content, content), NOW)));
            }
            for (int i = 0; i < rendered.size(); i++) {
                assertThat(rendered.get(i).get()).isEqualTo("message " + i + "\nmessage " + i + "\n");
            }
        }
    }

    /** The form of content is known from the source alone. */
    @Test
    public void theContentFormatIsKnown() throws ChatTemplateException {
        assertThat(provider().compile(contents()).contentFormat()).isEqualTo(ChatTemplate.ContentFormat.STRING);
    }

    /** A template that refuses says why. */
    @Test
    public void refusalsSayWhy() throws ChatTemplateException {
        ChatTemplate template = provider().compile(refusing());
        assertThatThrownBy(() -> template.render(messages("Hi"), NOW))
                .isInstanceOfSatisfying(ChatTemplateException.class, e -> assertThat(e.reason()).isNotEmpty());
    }

    /** What is no template is refused before it is used. */
    @Test
    public void brokenTemplatesDoNotCompile() {
        assertThatThrownBy(() -> provider().compile(broken()))
                .isInstanceOfSatisfying(ChatTemplateException.class, e -> assertThat(e.reason()).isNotEmpty());
    }

    private static Map<String, Object> messages(String... contents) {
        List<Object> messages = new ArrayList<>();
        for (String content : contents) {
            Map<String, Object> message = new LinkedHashMap<>();
            message.put("role", "user");
            message.put("content", content);
            messages.add(message);
        }
        Map<String, Object> variables = new LinkedHashMap<>();
        variables.put("messages", messages);
        variables.put("add_generation_prompt", true);
        return variables;
    }
}
