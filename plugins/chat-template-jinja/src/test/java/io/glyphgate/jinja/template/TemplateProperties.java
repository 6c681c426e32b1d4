package io.glyphgate.jinja.template;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.glyphgate.jinja.TemplateException;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.jspecify.annotations.Nullable;

class TemplateProperties {
    private static final LocalDateTime NOW = LocalDateTime.of(2025, 3, 9, 14, 5, 6);
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Template TO_JSON = Template.compile("{{ x|tojson }}");
    private static final Template TO_ASCII_JSON = Template.compile("{{ x|tojson(ensure_ascii=true, indent=2) }}");
    private static final Template PRINT = Template.compile("{{ x }}");
    private static final Template SLICE = Template.compile("{{ x[a:b:c] | join('') }}|{{ y[a:b:c] | join(',') }}");
    private static final Template LITERAL = Template.compile("{{ '%s|%r' % (x, x) }}");

    @Property(tries = 300)
    void jsonReadsBackAsTheSameText(@ForAll String text) throws JsonProcessingException {
        Map<String, Object> variables = Map.of("x", List.of(text, Map.of(text, text)));
        for (Template template : List.of(TO_JSON, TO_ASCII_JSON)) {
            String json = template.render(variables, NOW);
            assertThat(JSON.readValue(json, Object.class)).isEqualTo(variables.get("x"));
        }
        assertThat(TO_ASCII_JSON.render(variables, NOW).chars()).allMatch(c -> c < 0x80);
    }

    @Property(tries = 300)
    void numbersReadBackAsTheSame(@ForAll double number, @ForAll long integer) {
        assertThat(Double.parseDouble(PRINT.render(Map.of("x", number), NOW))).isEqualTo(number);
        assertThat(PRINT.render(Map.of("x", integer), NOW)).isEqualTo(Long.toString(integer));
    }

    @Property(tries = 500)
    void slicesAreThoseOfPython(
            @ForAll @Size(max = 8) List<@IntRange(min = 0x1f6a0, max = 0x1f6ff) Integer> codePoints,
            @ForAll @IntRange(min = -10, max = 10) int start,
            @ForAll @IntRange(min = -10, max = 10) int stop,
            @ForAll @IntRange(min = -3, max = 3) int step,
            @ForAll @IntRange(min = 0, max = 7) int given) {
        @Nullable Integer from = (given & 1) == 0 ? null : start;
        @Nullable Integer to = (given & 2) == 0 ? null : stop;
        @Nullable Integer by = (given & 4) == 0 || step == 0 ? null : step;
        StringBuilder text = new StringBuilder();
        codePoints.forEach(text::appendCodePoint);
        Map<String, @Nullable Object> variables = new LinkedHashMap<>();
        variables.put("x", text.toString());
        variables.put("y", codePoints);
        variables.put("a", from);
        variables.put("b", to);
        variables.put("c", by);
        List<Integer> wanted = slice(codePoints, from, to, by == null ? 1 : by);
        StringBuilder wantedText = new StringBuilder();
        wanted.forEach(wantedText::appendCodePoint);
        assertThat(SLICE.render(variables, NOW))
                .isEqualTo(wantedText + "|" + String.join(",", wanted.stream().map(String::valueOf).toList()));
    }

    /** The plainest way to say it: every index that lies between the ends, in steps, counted from where it starts. */
    private static List<Integer> slice(List<Integer> items, @Nullable Integer from, @Nullable Integer to, int by) {
        List<Integer> taken = new ArrayList<>();
        int size = items.size();
        int first = from == null ? by > 0 ? 0 : size - 1 : from < 0 ? from + size : from;
        first = by > 0 ? Math.max(0, first) : Math.min(size - 1, first);
        for (int i = first; i >= 0 && i < size; i += by) {
            int end = to == null ? by > 0 ? size : -1 : to < 0 ? to + size : to;
            if (by > 0 ? i >= end : i <= Math.max(end, to == null ? -1 : Math.max(-1, end))) {
                break;
            }
            taken.add(items.get(i));
        }
        return taken;
    }

    @Property(tries = 200)
    void anySourceCompilesOrSaysWhyNot(@ForAll String noise, @ForAll @IntRange(min = 0, max = 9) int shape) {
        List<String> shapes = List.of(
                "{{ %s }}", "{%% %s %%}", "{%% if %s %%}x{%% endif %%}", "{{ '%s' }}", "%s", "{# %s", "{{ a.%s }}",
                "{{ a|%s }}", "{%% raw %%}%s{%% endraw %%}", "{{ [%s] }}");
        try {
            Template.compile(shapes.get(shape).formatted(noise)).render(Map.of(), NOW);
        } catch (TemplateException e) {
            assertThat(e.reason()).isNotEmpty();
        }
    }

    @Property(tries = 200)
    void textWithoutTagsIsWrittenAsItIs(@ForAll String text) {
        String plain = text.replace("{", "(").replace("\r", "");
        String wanted = plain.endsWith("\n") ? plain.substring(0, plain.length() - 1) : plain;
        assertThat(Template.compile(plain).render(Map.of(), NOW)).isEqualTo(wanted);
        assertThat(LITERAL.render(Map.of("x", plain), NOW)).startsWith(plain + "|");
    }

    @Property(tries = 20)
    void renderingIsTheSameInEveryThread(@ForAll @Size(min = 1, max = 6) List<String> contents) throws Exception {
        Template template = Template.compile(Goldens.templateFile("npm/qwen3"));
        List<Map<String, String>> messages =
                contents.stream().map(content -> Map.of("role", "user", "content", content)).toList();
        Map<String, Object> variables = Map.of("messages", messages, "add_generation_prompt", true);
        String once = template.render(variables, NOW);
        try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
            Callable<String> render = () -> template.render(variables, NOW);
            for (var rendered : threads.invokeAll(Collections.nCopies(8, render))) {
                assertThat(rendered.get()).isEqualTo(once);
            }
        }
    }
}
