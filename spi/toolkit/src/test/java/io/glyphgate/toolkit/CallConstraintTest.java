package io.glyphgate.toolkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.glyphgate.spi.Tool;
import io.glyphgate.spi.ToolChoice;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CallConstraintTest {
    private static final String LIST = "{\"type\": \"tags_with_separator\", \"tags\": [{\"each-function\": \"${call}\"}]}";

    private static final Tool LOOSE = Tool.of("loose", Map.of("properties", Map.of("a", Map.of("type", "integer"))));

    private record Strict(String name, Map<String, Object> parameters, boolean strict) implements Tool {}

    private static final Tool STRICT = new Strict("strict", Map.of("type", "or", "elements", List.of("${name}")), true);

    private static CallConstraint.Compiled constraint(String call) {
        return CallConstraint.of(call, LIST, LIST, "").compile();
    }

    private static Object format(CallConstraint.Compiled constraint, ToolChoice choice, boolean parallel, Tool... tools) {
        Map<String, Object> made = constraint.calls(List.of(tools), choice, parallel).orElseThrow();
        Map<?, ?> tag = (Map<?, ?>) Objects.requireNonNull(made.get("structural_tag"));
        return Objects.requireNonNull(tag.get("format"));
    }

    @Test
    void aSchemaIsTakenAsItIs() {
        Object format = format(constraint("{\"begin\": \"<${name}>\", \"of\": \"${parameters}\"}"), ToolChoice.REQUIRED, true, STRICT, LOOSE);

        assertThat(format)
                .isEqualTo(Map.of(
                        "type", "tags_with_separator",
                        "tags", List.of(
                                Map.of("begin", "<strict>", "of", STRICT.parameters()), Map.of("begin", "<loose>", "of", true))));
    }

    @Test
    void whereAFunctionIsNamedThereIsOneCallOfIt() {
        assertThat(format(constraint("{\"begin\": \"${name}\"}"), ToolChoice.named("loose"), true, STRICT, LOOSE))
                .isEqualTo(Map.of(
                        "type", "tags_with_separator", "tags", List.of(Map.of("begin", "loose")), "stop_after_first", true));
    }

    @Test
    void theModelIsFreeUnlessAFunctionIsStrictOrOnlyOneCallIsAllowed() {
        CallConstraint.Compiled constraint = constraint("{}");

        assertThat(constraint.calls(List.of(LOOSE), ToolChoice.AUTO, true)).isEmpty();
        assertThat(constraint.calls(List.of(LOOSE), ToolChoice.AUTO, false)).isPresent();
        assertThat(constraint.calls(List.of(LOOSE, STRICT), ToolChoice.AUTO, true)).isPresent();
        assertThat(constraint.calls(List.of(STRICT), ToolChoice.NONE, true)).isEmpty();
        assertThat(CallConstraint.of("{}", LIST, LIST, "").evenIfNotStrict().compile().calls(List.of(LOOSE), ToolChoice.AUTO, true))
                .isPresent();
    }

    @Test
    void parametersHaveTheFormatsOfTheirValues() {
        CallConstraint.Compiled constraint = constraint("""
                {"if-plain": {"type": "or", "elements": [{"each-parameter": {"${key}": 0, "is": "${value}"}, "text": "T"}]},
                 "else": "${parameters}"}""");
        Tool several = Tool.of(
                "f",
                Map.of("properties", Map.of("e", Map.of("enum", List.of("x", 1)), "s", Map.of("type", List.of("null", "string")))));

        assertThat(format(constraint, ToolChoice.REQUIRED, true, LOOSE).toString())
                .contains("is={").contains("json_schema={type=integer}").doesNotContain("elements");
        assertThat(format(constraint, ToolChoice.REQUIRED, true, several).toString())
                .contains("value=x").contains("value=1").contains("json_schema={type=null}").contains("T]");
        assertThat(format(constraint, ToolChoice.REQUIRED, true, Tool.of("f", Map.of("anyOf", List.of())))).isEqualTo(
                Map.of("type", "tags_with_separator", "tags", List.of(true)));
    }

    @Test
    void contentHasAFrameIfThereIsOne() {
        CallConstraint framed = new CallConstraint(
                "{}", LIST, LIST, "", false, "{\"in\": {\"if-json\": \"json\", \"else\": \"${content}\"}}");

        assertThat(constraint("{}").content(Map.of("type", "regex"))).isEmpty();
        assertThat(framed.compile().content(Map.of("type", "regex")).orElseThrow().toString()).contains("in={type=regex}");
        assertThat(framed.compile().content(Map.of("type", "json_schema")).orElseThrow().toString()).contains("in=json");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{ | the constraint's required is not right",
                "[null] | it holds a null",
                "3 | is no JSON object",
                "{} {} | text follows",
                "{\"if-strict\": 1} | if-strict without else",
            })
    void aPartThatCannotWorkIsRefused(String part, String message) {
        assertThatThrownBy(() -> CallConstraint.of("{}", "", part, ""))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }
}
