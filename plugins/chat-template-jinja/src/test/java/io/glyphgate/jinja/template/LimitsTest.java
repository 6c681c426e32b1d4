package io.glyphgate.jinja.template;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.glyphgate.jinja.Budget;
import io.glyphgate.jinja.TemplateException;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** No template holds a thread or the memory for long. */
class LimitsTest {
    private static final LocalDateTime NOW = LocalDateTime.of(2025, 3, 9, 14, 5, 6);

    private static String render(String template) {
        return Template.compile(template).render(Map.of(), NOW);
    }

    @Test
    void loopsInLoopsEndBySteps() {
        assertThatThrownBy(() -> render("{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"))
                .isInstanceOf(TemplateException.class)
                .hasMessageContaining("more than " + Budget.MAX_STEPS + " steps");
    }

    @Test
    void doublingAListEndsBySteps() {
        assertThatThrownBy(() -> render(
                        "{% set n = namespace(l=[1]) %}{% for i in range(60) %}{% set n.l = n.l + n.l %}{% endfor %}"))
                .isInstanceOf(TemplateException.class)
                .hasMessageContaining("more than " + Budget.MAX_STEPS + " steps");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{% set n = namespace(s='ab') %}{% for i in range(60) %}{% set n.s = n.s ~ n.s %}{% endfor %}",
                "{% set n = namespace(s='ab') %}{% for i in range(60) %}{% set n.s = n.s + n.s %}{% endfor %}",
                "{{ 'a' * 99999999999 }}",
                "{{ 'a'.rjust(999999999) }}",
                "{{ 'a'.zfill(999999999) }}",
                "{{ '%999999999d' % 1 }}",
                "{{ '%.999999999f' % 1 }}",
                "{{ '{:999999999}'.format(1) }}",
                "{{ 'a'|center(999999999) }}",
                "{{ ('a\\n' * 10000) | indent(999999) }}",
                "{{ [[[1]]]|tojson(indent=99999999) }}",
                "{{ ('a' * 9000).replace('a', 'b' * 9000) }}",
                "{{ ('x' * 9000).join(['a'] * 9000) }}",
                "{% for i in range(9999) %}{{ 'a' * 9999 }}{% endfor %}",
                "{% set n = namespace(l=['a' * 99]) %}{% for i in range(40) %}{% set n.l = [n.l, n.l] %}{% endfor %}{{ n.l }}"
            })
    void textEndsByItsLength(String template) {
        assertThatThrownBy(() -> render(template))
                .isInstanceOf(TemplateException.class)
                .hasMessageContaining("the template makes");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
                "{% macro m(x) %}{% if true %}{% for i in [1] %}{{ m([x]) }}{% endfor %}{% endif %}{% endmacro %}{{ m(1) }}",
                "{% for x in [1] recursive %}{{ loop([1]) }}{% endfor %}",
                "{% set n = namespace(l=[]) %}{% for i in range(9999) %}{% set n.l = [n.l] %}{% endfor %}{{ n.l }}",
                "{% set n = namespace(l=[]) %}{% for i in range(9999) %}{% set n.l = [n.l] %}{% endfor %}{{ n.l|tojson }}",
                "{% set n = namespace(l=[], m=[]) %}{% for i in range(9999) %}{% set n.l = [n.l] %}{% set n.m = [n.m] %}"
                        + "{% endfor %}{{ n.l == n.m }}"
            })
    void depthEndsOnASmallStack(String template) throws InterruptedException {
        List<Throwable> thrown = new ArrayList<>();
        Thread small = new Thread(null, () -> {
            try {
                render(template);
            } catch (TemplateException | StackOverflowError e) {
                thrown.add(e);
            }
        }, "small", 512 << 10);
        small.start();
        small.join();
        assertThat(thrown).hasSize(1);
        assertThat(thrown.getFirst())
                .isInstanceOf(TemplateException.class)
                .hasMessageContaining("maximum recursion depth exceeded");
    }

    @ParameterizedTest
    @ValueSource(strings = {"{{ 9 ** 99999999 }}", "{{ (10 ** 4000) * (10 ** 4000) }}", "{{ 10 ** 5000 }}"})
    void integersEndByTheirSize(String template) {
        assertThatThrownBy(() -> render(template))
                .isInstanceOf(TemplateException.class)
                .hasMessageMatching("(?s).*(an integer of more than|Exceeds the limit).*");
    }

    @Test
    void sourcesNestedTooDeepDoNotCompile() {
        for (String template : List.of(
                "{{ " + "(".repeat(9999) + "1" + ")".repeat(9999) + " }}",
                "{{ " + "[".repeat(9999) + "]".repeat(9999) + " }}",
                "{{ " + "-".repeat(9999) + "1 }}",
                "{{ 1" + " + 1".repeat(99999) + " }}",
                "{{ a" + ".b".repeat(99999) + " }}",
                "{{ a" + "|upper".repeat(99999) + " }}",
                "{{ " + "1 if 1 else ".repeat(9999) + "1 }}",
                "{% if 1 %}".repeat(9999),
                "{% set " + "(".repeat(9999) + "a" + ")".repeat(9999) + " = 1 %}")) {
            assertThatThrownBy(() -> Template.compile(template))
                    .as(template.substring(0, 20))
                    .isInstanceOf(TemplateException.class)
                    .hasMessageMatching(".*(nested more than|are open|Unexpected end).*");
        }
    }

    @Test
    void variablesNestedTooDeepAreRefused() {
        Object value = 1;
        for (int i = 0; i < 9999; i++) {
            value = List.of(value);
        }
        Map<String, Object> variables = Map.of("x", value);
        Template template = Template.compile("{{ x is defined }}");
        assertThatThrownBy(() -> template.render(variables, NOW))
                .isInstanceOf(TemplateException.class)
                .hasMessageContaining("nested more than 500 levels");
    }

    @Test
    void aLongConversationIsFarFromTheLimits() {
        List<Map<String, String>> messages = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            messages.add(Map.of("role", i % 2 == 0 ? "user" : "assistant", "content", "x".repeat(100)));
        }
        String text = Template.compile(Goldens.templateFile("npm/qwen3"))
                .render(Map.of("messages", messages, "add_generation_prompt", true), NOW);
        assertThat(text).hasSizeGreaterThan(1_000_000).endsWith("<|im_start|>assistant\n");
    }
}
