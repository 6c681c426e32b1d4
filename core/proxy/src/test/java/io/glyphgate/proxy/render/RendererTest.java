package io.glyphgate.proxy.render;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.glyphgate.proxy.plugin.Registry;
import io.glyphgate.proxy.wire.ChatBody;
import io.glyphgate.proxy.wire.TokenizeBody;
import io.glyphgate.spi.ChatTemplate.ContentFormat;
import io.glyphgate.spi.ChatTemplateProvider;
import io.glyphgate.spi.InvalidRequestException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RendererTest {
    /** Shows all that a template is given. */
    private static final String ALL = "{{ messages | tojson }}";

    private static final String PARTS = "{% for m in messages %}{% for p in m['content'] %}[{{ p | tojson }}]{% endfor %}{% endfor %}";
    private static final Clock CLOCK = Clock.fixed(Instant.parse("2026-02-03T10:00:00Z"), ZoneOffset.UTC);
    private static final ChatTemplateProvider ENGINE = Registry.of(RendererTest.class.getClassLoader())
            .find(ChatTemplateProvider.class, "jinja")
            .orElseThrow();

    private static Renderer renderer(Object template) {
        Map<String, @Nullable Object> settings = new LinkedHashMap<>();
        settings.put("chat_template", template);
        settings.put("bos_token", Map.of("content", "<s>"));
        settings.put("eos_token", "</s>");
        settings.put("pad_token", null);
        return new Renderer(ENGINE, settings, null, Optional.empty(), Map.of("color", "red"), CLOCK);
    }

    private static ChatBody chat(String messages, String fields) {
        String body = "{\"messages\":" + messages + (fields.isEmpty() ? "" : "," + fields) + "}";
        return ((TokenizeBody.Chat) TokenizeBody.parse(body.getBytes(StandardCharsets.UTF_8))).chat();
    }

    private static String render(Object template, String messages, String fields) {
        return renderer(template).render(chat(messages, fields), true);
    }

    private static String user(String content) {
        return "[{\"role\":\"user\",\"content\":" + content + "}]";
    }

    @Test
    void textPartsAreJoinedForATemplateThatTakesOneText() {
        assertThat(render(ALL, user("[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"text\",\"text\":\"b\"}]"), ""))
                .isEqualTo("[{\"role\": \"user\", \"content\": \"a\\nb\"}]");
        assertThat(render(ALL, "[{\"role\":\"user\"}]", "")).isEqualTo("[{\"role\": \"user\", \"content\": \"\"}]");
    }

    @Test
    void partsStayForATemplateThatTakesParts() {
        assertThat(render(PARTS, user("[{\"text\":\"a\",\"type\":\"text\",\"name\":\"n\",\"own\":1}]"), ""))
                .isEqualTo("[{\"type\": \"text\", \"text\": \"a\", \"own\": 1}]");
        assertThat(render(PARTS, user("\"a\""), "")).isEqualTo("[{\"type\": \"text\", \"text\": \"a\"}]");
    }

    @Test
    void theOperatorMaySayHowContentsAreTaken() {
        Renderer renderer = new Renderer(ENGINE, Map.of(), ALL, Optional.of(ContentFormat.OPENAI), Map.of(), CLOCK);
        assertThat(renderer.render(chat(user("\"a\""), ""), false))
                .isEqualTo("[{\"role\": \"user\", \"content\": [{\"type\": \"text\", \"text\": \"a\"}]}]");
    }

    @Test
    void onlyKnownFieldsOfMessagesReachTheTemplate() {
        assertThat(render(
                        ALL,
                        "[{\"role\":\"assistant\",\"content\":\"a\",\"reasoning\":\"r\",\"zzz\":1,\"name\":\"n\"},"
                                + "{\"role\":\"tool\",\"content\":[{\"type\":\"text\",\"text\":\"x\"}],\"tool_call_id\":\"c\"}]",
                        ""))
                .isEqualTo("[{\"role\": \"assistant\", \"content\": \"a\", \"reasoning\": \"r\", \"reasoning_content\": \"r\", "
                        + "\"name\": \"n\"}, {\"role\": \"tool\", \"content\": \"x\", \"tool_call_id\": \"c\"}]");
    }

    @Test
    void theContentOfAToolIsOneTextAlsoForATemplateThatTakesParts() {
        assertThat(render(
                        PARTS + ALL,
                        "[{\"role\":\"tool\",\"content\":[{\"type\":\"text\",\"text\":\"x\"},{\"type\":\"text\",\"text\":\"y\"}]}]",
                        ""))
                .endsWith("[{\"role\": \"tool\", \"content\": \"x\\ny\"}]");
        assertThat(render(
                        PARTS + ALL,
                        "[{\"role\":\"tool\",\"content\":[{\"type\":\"tool_reference\",\"name\":\"f\"}]}]",
                        ""))
                .endsWith("[{\"role\": \"tool\", \"content\": [{\"type\": \"tool_reference\", \"name\": \"f\"}]}]");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\\\"z\\\": 1, \\\"a\\\": [2.50]}|{\"z\": 1, \"a\": [2.5]}",
                "{bad|{}",
                "|{}",
                "[1]|{}",
                "null|{}"
            })
    void argumentsOfCallsAreObjects(@Nullable String arguments, String object) {
        assertThat(render(
                        ALL,
                        "[{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"index\":0,\"type\":\"function\",\"id\":\"1\","
                                + "\"function\":{\"name\":\"f\",\"arguments\":\"" + (arguments == null ? "" : arguments) + "\"}}]}]",
                        ""))
                .isEqualTo("[{\"role\": \"assistant\", \"content\": \"\", \"tool_calls\": [{\"id\": \"1\", \"function\": "
                        + "{\"arguments\": " + object + ", \"name\": \"f\"}, \"type\": \"function\", \"index\": 0}]}]");
    }

    @Test
    void noCallsAreNone() {
        assertThat(render(ALL, "[{\"role\":\"assistant\",\"content\":\"a\",\"tool_calls\":[]}]", ""))
                .isEqualTo("[{\"role\": \"assistant\", \"content\": \"a\"}]");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "user|[{\"type\":\"hologram\"}]|''|hologram",
                "user|[\"a\"]|''|must be an object",
                "user|{\"a\":1}|''|list of parts",
                "user|[{\"type\":\"text\"}]|''|needs the text",
                "user|[{\"type\":\"input_text\",\"text\":\"a\"}]|''|input_text",
                "user|[{\"type\":\"image_url\",\"image_url\":{\"url\":\"u\"}}]|''|renders text",
                "user|[{\"type\":\"text\",\"text\":\"a\",\"uuid\":\"u\"}]|type|uuid",
                "captain|[{\"type\":\"hologram\"}]|type|hologram"
            })
    void partsThatAreNoTextAreRefused(String role, String content, String param, String word) {
        assertThatThrownBy(() -> render(ALL, "[{\"role\":\"" + role + "\",\"content\":" + content + "}]", ""))
                .isInstanceOfSatisfying(InvalidRequestException.class, e -> assertThat(e.param()).isEqualTo(param))
                .hasMessageContaining(word);
    }

    @Test
    void theSystemLosesTheBillingLine() {
        String line = "x-anthropic-billing-header: cch=1;";
        assertThat(render(
                        ALL,
                        "[{\"role\":\"system\",\"content\":[{\"type\":\"text\",\"text\":\"" + line + "\"},{\"type\":\"text\",\"text\":\""
                                + line + "\\nBe brief.\"}]}]",
                        ""))
                .isEqualTo("[{\"role\": \"system\", \"content\": \"Be brief.\"}]");
        assertThat(render(ALL, user("\"" + line + "\""), "")).contains(line);
    }

    @Test
    void aDeveloperIsTheSystemWhereTheTemplateKnowsNone() {
        String messages = "[{\"role\":\"system\",\"content\":\"s\"},{\"role\":\"user\",\"content\":\"u\"},"
                + "{\"role\":\"developer\",\"content\":\"d\"}]";
        assertThat(render(ALL, messages, ""))
                .isEqualTo("[{\"role\": \"system\", \"content\": \"s\\n\\nd\"}, {\"role\": \"user\", \"content\": \"u\"}]");
        assertThat(render("{# 'developer' #}" + ALL, messages, ""))
                .contains("{\"role\": \"developer\", \"content\": \"d\", \"tools\": null}");
    }

    @Test
    void argumentsReachTheTemplateButNotTheFlags() {
        String template = "{{ color }} {{ add_generation_prompt }} {{ tools is none }} {{ bos_token }}{{ pad_token is defined }}";
        assertThat(render(template, user("\"a\""), "")).isEqualTo("red True True <s>False");
        assertThat(render(
                        template,
                        user("\"a\""),
                        "\"tools\":[],\"chat_template_kwargs\":{\"color\":\"blue\",\"add_generation_prompt\":false,\"bos_token\":\"B\"}"))
                .isEqualTo("blue True False BFalse");
        assertThat(render(template, user("\"a\""), "\"chat_template_kwargs\":{\"color\":null}")).startsWith("red");
    }

    @Test
    void documentsReachTheTemplate() {
        assertThat(render(
                        "{{ documents | tojson }}",
                        user("\"a\""),
                        "\"chat_template_kwargs\":{\"documents\":[{\"title\":\"t\",\"text\":\"x\"}]}"))
                .isEqualTo("[{\"title\": \"t\", \"text\": \"x\"}]");
        assertThatThrownBy(() -> render("x", user("\"a\""), "\"chat_template_kwargs\":{\"documents\":[1]}"))
                .hasMessageContaining("documents must be");
    }

    @Test
    void theFinalMessageStaysOpen() {
        String template = "{% for m in messages %}<{{ m.content }}>{% endfor %}";
        String trimming = "{% for m in messages %}<{{ m.content | trim }}>{% endfor %}";
        String open = "\"continue_final_message\":true,\"add_generation_prompt\":false";
        assertThat(render(template, user("\"High \""), open)).isEqualTo("<High ");
        assertThat(render(trimming, user("\"High \""), open)).isEqualTo("<High");
        assertThat(render(PARTS, user("[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"text\",\"text\":\"b\"}]"), open))
                .isEqualTo("[{\"type\": \"text\", \"text\": \"a\"}][{\"type\": \"text\", \"text\": \"b");
        assertThatThrownBy(() -> render("{{ messages[0].content[:1] }}", user("\"High\""), open))
                .hasMessageContaining("does not appear in the prompt");
        assertThatThrownBy(() -> render(template, user("\"a\""), "\"continue_final_message\":true"))
                .hasMessageContaining("not compatible");
    }

    @Test
    void aTemplateOfTheClientNeedsTrust() {
        String own = "\"chat_template\":\"Z\"";
        assertThat(render(ALL, user("\"a\""), own)).isEqualTo("Z");
        assertThat(render(ALL, user("\"a\""), "\"chat_template_kwargs\":{" + own + "}")).isEqualTo("Z");
        for (String fields : new String[] {own, "\"chat_template_kwargs\":{" + own + "}"}) {
            assertThatThrownBy(() -> renderer(ALL).render(chat(user("\"a\""), fields), false))
                    .isInstanceOf(InvalidRequestException.class)
                    .hasMessageContaining("untrusted");
        }
    }

    @Test
    void oneOfSeveralTemplatesIsChosen() {
        Map<String, String> named = Map.of("default", "D", "tool_use", "T", "rag", "R");
        assertThat(render(named, user("\"a\""), "")).isEqualTo("D");
        assertThat(render(named, user("\"a\""), "\"tools\":[{\"function\":{\"name\":\"f\"}}]")).isEqualTo("T");
        assertThat(render(named, user("\"a\""), "\"chat_template\":\"rag\"")).isEqualTo("R");
        assertThatThrownBy(() -> render(Map.of("rag", "R"), user("\"a\""), "")).hasMessageContaining("must provide a chat template");
    }

    @Test
    void theTemplateSeesTheClock() {
        assertThat(render("{{ strftime_now('%Y-%m-%d') }}", user("\"a\""), "")).isEqualTo("2026-02-03");
    }

    @Test
    void whatTheTemplateRefusesIsTheClientsFault() {
        assertThatThrownBy(() -> render("{{ raise_exception('no thanks') }}", user("\"a\""), ""))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessage("no thanks");
        assertThatThrownBy(() -> render("{% for %}", user("\"a\""), "")).isInstanceOf(InvalidRequestException.class);
        assertThatThrownBy(() -> render(ALL, "[]", "")).hasMessageContaining("empty conversation");
    }
}
