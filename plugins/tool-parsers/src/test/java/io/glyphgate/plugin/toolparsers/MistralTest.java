package io.glyphgate.plugin.toolparsers;

import static org.assertj.core.api.Assertions.assertThat;

import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.ToolChoice;
import io.glyphgate.spi.ToolOpener;
import io.glyphgate.spi.ToolParserProvider;
import io.glyphgate.testkit.Example;
import io.glyphgate.testkit.TestContext;
import io.glyphgate.testkit.ToolParserContract;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class MistralTest extends ToolParserContract {
    private static final String CALLS = "[TOOL_CALLS]";

    @Override
    protected ToolParserProvider provider() {
        return new Mistral();
    }

    @Override
    protected List<Example> examples() {
        return List.of(
                Example.of("No call at all. ").content("No call at all. "),
                // T42 of the public reports
                Example.of("[TOOL_CALLS]read_log[ARGS]{\"path\": \"a.txt\", \"last\": 5}")
                        .call("read_log", "{\"path\": \"a.txt\", \"last\": 5}"),
                Example.of(CALLS + "f[ARGS]{\"a\": [1, {}]}" + CALLS + " g.h-1 [ARGS] {} ")
                        .call("f", "{\"a\": [1, {}]}")
                        .call("g.h-1", "{}"),
                Example.of("Before.\n" + CALLS + "f{\"a\": 1}\nand \n" + CALLS + "g[ARGS]{}\nAfter.\n")
                        .content("Before.\nand\nAfter.\n")
                        .call("f", "{\"a\": 1}")
                        .call("g", "{}"),
                Example.of("Before.\n" + CALLS + "[{\"name\": \"f\", \"arguments\": {\"a\": 1}}, "
                                + "{\"arguments\": {}, \"name\": \"g\"}]\nand \n" + CALLS + "[{\"name\": \"h\"}]")
                        .content("Before.\n\nand \n")
                        .call("f", "{\"a\": 1}")
                        .call("g", "{}")
                        .call("h", "{}"),
                Example.of(CALLS + "f[CALL_ID]a1B2c3D4e[ARGS]{\"a\": 1}").call("f", "a1B2c3D4e", "{\"a\": 1}"),
                Example.of(CALLS + "f[CALL_ID][ARGS]{}").call("f", "{}"),
                Example.of(CALLS + "f[ARGS]{\"s\": \"" + CALLS + "g[ARGS]{}\\\" }\"}")
                        .call("f", "{\"s\": \"" + CALLS + "g[ARGS]{}\\\" }\"}"),
                Example.of(CALLS + CALLS + "\n" + CALLS + "[{\"name\": \"f\", \"arguments\": {}}]").call("f", "{}"),
                Example.of(CALLS + CALLS + "f[ARGS]{}").call("f", "{}"),
                Example.of(CALLS + "{\"name\": \"f\", \"arguments\": {\"a\": 1}}").call("f", "{\"a\": 1}"),
                Example.of(CALLS + "[{\"name\": \"f\", \"arguments\": \"{\\\"a\\\": \\\"\\u00e9\\\\n\\\"}\"}]")
                        .call("f", "{\"a\": \"é\\n\"}"),
                Example.of(CALLS + "[{\"arguments\": \"{\\\"a\\\": 1}\", \"name\": \"f\"}]").call("f", "{\"a\": 1}"),
                Example.of(CALLS + "[{\"name\": \"f\", \"arguments\": \"{\\\"a\\\": 1")
                        .endedBy(FinishReason.LENGTH)
                        .call("f", "{\"a\": 1"),
                Example.of(CALLS + "f[ARGS]{\"a\": \"b").endedBy(FinishReason.LENGTH).call("f", "{\"a\": \"b"),
                Example.of(CALLS + "f[ARGS]").call("f", "{}"),
                Example.of(CALLS + "f[ARGS]").endedBy(FinishReason.LENGTH).call("f", ""),
                Example.of(CALLS + "f").call("f", "{}"),
                Example.of(CALLS + "f[CALL_ID]abc").call("f", "abc", "{}"),
                Example.of(CALLS + "read_l").endedBy(FinishReason.LENGTH).content(CALLS + "read_l"),
                Example.of(CALLS + "f[AR").content(CALLS + "f[AR"),
                Example.of(CALLS).content(CALLS),
                Example.of("A call opens with " + CALLS + ".").content("A call opens with " + CALLS + "."),
                Example.of(CALLS + "[ARGS]{\"a\": 1}").content(CALLS + "[ARGS]{\"a\": 1}"),
                Example.of("A call opens with " + CALLS + " and a name.")
                        .content("A call opens with " + CALLS + " and a name."),
                Example.of("It is " + CALLS + "name, then{}").content("It is " + CALLS + "name, then{}"),
                Example.of(CALLS + "[1, 2]").content(CALLS + "[1, 2]"),
                Example.of(CALLS + "{\"a\": 1}").content(CALLS + "{\"a\": 1}"),
                Example.of("[{\"name\": \"f\", \"arguments\": {\"a\": 1}}]")
                        .content("[{\"name\": \"f\", \"arguments\": {\"a\": 1}}]"),
                Example.of("[{\"name\": \"f\", \"arguments\": {\"a\": 1}}, {\"name\": \"g\", \"parameters\": {}}]")
                        .in(choice(ToolChoice.REQUIRED))
                        .call("f", "{\"a\": 1}")
                        .call("g", "{}"),
                Example.of("{\"name\": \"f\", \"arguments\": {\"a\": 1}}")
                        .in(choice(ToolChoice.named("f")))
                        .call("f", "{\"a\": 1}"),
                Example.of(CALLS + "f[ARGS]{\"a\": 1}").in(choice(ToolChoice.named("f"))).call("f", "{\"a\": 1}"),
                Example.of("{\"a\": 1}").in(choice(ToolChoice.named("f"))).content("{\"a\": 1}"),
                Example.of("I will not.").in(choice(ToolChoice.REQUIRED)).content("I will not."));
    }

    @Test
    void newIdsAreNineLettersAndDigits() {
        List<String> ids = IntStream.range(0, 100)
                .mapToObj(i -> provider().newCallId())
                .flatMap(Optional::stream)
                .distinct()
                .toList();
        assertThat(ids).hasSize(100).allSatisfy(id -> assertThat(id).matches("[A-Za-z0-9]{9}"));
    }

    @Test
    void inReasoningACallOpensWhereAnOfferedNameFollows() {
        TestContext context = TestContext.builder().tool("f", Map.of()).build();
        assertThat(provider().openers(context))
                .extracting(ToolOpener::followedBy)
                .containsExactly(
                        List.of("[{", "[ {", "[\n", "{"), List.of("f[ARGS]", "f{", "f[CALL_ID]"));
    }

    private static TestContext choice(ToolChoice choice) {
        return TestContext.builder().toolChoice(choice).build();
    }
}
