package io.glyphgate.jinja.template;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.glyphgate.jinja.TemplateException;
import java.math.BigDecimal;
import java.time.LocalDateTime;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TemplateTest {
    private static final LocalDateTime NOW = LocalDateTime.of(2025, 3, 9, 14, 5, 6);

    @ParameterizedTest
    @CsvSource(
            delimiter = '@',
            value = {
                "{{ 1 }}|{{ x.y.z }} @ 1 @ x.y @ 'x' is undefined",
                "{% for a in none %}{% endfor %} @ 1 @ for a in none @ 'NoneType' object is not iterable",
                "{% set a, b = [1] %} @ 1 @ set a, b = [1] @ not enough values to unpack (expected 2, got 1)",
                "{{ [1, 2] | map('nope') | list }} @ 1 @ [1, 2] | map('nope') | list @ No filter named 'nope'.",
                "{{ 'a' | nope }} @ 1 @ 'a' | nope @ No filter named 'nope'.",
                "{% include 'x' %} @ 1 @ include 'x' @ no loader for this environment specified",
                "{{ raise_exception('no') }} @ 1 @ raise_exception('no') @ no"
            })
    void failuresNameTheirPlace(String template, int line, String expression, String reason) {
        assertThatThrownBy(() -> Template.compile(template).render(Map.of(), NOW))
                .isInstanceOfSatisfying(TemplateException.class, e -> {
                    assertThat(e.line()).hasValue(line);
                    assertThat(e.expression()).isEqualTo(expression);
                    assertThat(e.reason()).isEqualTo(reason);
                });
    }

    @Test
    void linesAreCountedThroughEverything() {
        String template = "a\r\n{# c\n#}\n{% raw %}\n{% endraw %}\n{%- if true -%}\n\n{{ 'x\ny' }}\n{{ 1 / 0 }}{% endif %}";
        assertThatThrownBy(() -> Template.compile(template).render(Map.of(), NOW))
                .isInstanceOfSatisfying(TemplateException.class, e -> assertThat(e.line()).hasValue(10));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{% if %}x{% endif %}", "{% endif %}", "{{ }}", "{{ 1", "{% for x %}{% endfor %}", "{{ 'a }}", "{# a",
                "{% raw %}", "{{ 1 + }}", "{{ (1] }}", "{{ a ! b }}", "{% set 1 = 2 %}", "{% break %}", "{% nope %}",
                "{{ '\\x1' }}", "{% call x %}{% endcall %}", "{% autoescape true %}{% endautoescape %}"
            })
    void whatIsNoTemplateDoesNotCompile(String template) {
        assertThatThrownBy(() -> Template.compile(template))
                .isInstanceOfSatisfying(TemplateException.class, e -> assertThat(e.line()).hasValue(1));
    }

    @Test
    void aValueThatJsonDoesNotHaveIsTheCallersFault() {
        Template template = Template.compile("{{ x }}");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> template.render(Map.of("x", BigDecimal.ONE), NOW))
                .withMessageContaining("java.math.BigDecimal");
        assertThatIllegalArgumentException().isThrownBy(() -> template.render(Map.of("x", Map.of(1, 2)), NOW));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '@',
            value = {
                "{% for m in messages %}{% for p in m.content %}{% endfor %}{% endfor %} @ true",
                "{% for m in messages[1:] %}{% for p in m['content'] %}{% endfor %}{% endfor %} @ true",
                "{% set ms = messages|list %}{% for m in ms %}{% for p in m.content %}{% endfor %}{% endfor %} @ true",
                "{% set ns = namespace(r=messages) %}{% for m in ns.r %}{% for p in m.content %}{% endfor %}{% endfor %} @ true",
                "{% macro w(c) %}{% for p in c %}{% endfor %}{% endmacro %}{% for m in messages %}{{ w(m.content) }}{% endfor %} @ true",
                "{% macro w(c) %}{% for p in c %}{% endfor %}{% endmacro %}{% for m in messages %}{{ w(m.role) }}{% endfor %} @ false",
                "{% for m in messages %}{% set content = m.content %}{% for p in content %}{% endfor %}{% endfor %} @ true",
                "{% for m in messages %}{{ m.content }}{% endfor %} @ false",
                "{% for t in tools %}{% for p in t.content %}{% endfor %}{% endfor %} @ false",
                "{% for a, b in messages %}{% endfor %}{% for p in content %}{% endfor %} @ false"
            })
    void loopsOverPartsOfContentAreFound(String template, boolean walks) {
        assertThat(Template.compile(template).walksContentParts()).isEqualTo(walks);
    }

    @Test
    void everySideOfTheCallerIsLeftAlone() {
        Template template = Template.compile("{% set ns = namespace(m=messages) %}{% set ns.m = ns.m + [1] %}{{ ns.m }}");
        List<Object> messages = List.of(Map.of("a", 1));
        assertThat(template.render(Map.of("messages", messages), NOW)).isEqualTo("[{'a': 1}, 1]");
    }
}
