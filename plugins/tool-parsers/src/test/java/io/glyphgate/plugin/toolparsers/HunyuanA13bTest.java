package io.glyphgate.plugin.toolparsers;

import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.ToolChoice;
import io.glyphgate.spi.ToolParserProvider;
import io.glyphgate.testkit.Example;
import io.glyphgate.testkit.TestContext;
import io.glyphgate.testkit.ToolParserContract;
import java.util.List;

class HunyuanA13bTest extends ToolParserContract {
    @Override
    protected ToolParserProvider provider() {
        return new HunyuanA13b();
    }

    @Override
    protected List<Example> examples() {
        return List.of(
                Example.of("<think>a <tool_calls>[{\"name\": \"f\"}]</tool_calls></think>\n<tool_calls>[{\"name\": \"g\"}]")
                        .content("<think>a <tool_calls>[{\"name\": \"f\"}]</tool_calls></think>\n")
                        .call("g", "{}"),
                Example.of("No call at all. ").content("No call at all. "),
                Example.of("<tool_calls>[{\"name\": \"f\", \"arguments\": {\"a\": 1}}]</tool_calls>").call("f", "{\"a\": 1}"),
                Example.of("<tool_calls>[{\"name\": \"f\", \"arguments\": {\"a\": 1}}, {\"arguments\": {\"name\": {}}, \"name\": \"g\"}]</tool_calls>")
                        .call("f", "{\"a\": 1}")
                        .call("g", "{\"name\": {}}"),
                Example.of("Before.\n<tool_calls>[{\"name\": \"f\", \"arguments\": {\"a\": 1}}]</tool_calls>\nAfter.\n")
                        .content("Before.\n\nAfter.\n")
                        .call("f", "{\"a\": 1}"),
                Example.of("<tool_calls>[{\"name\": \"f\", \"parameters\": {\"a\": \"]} <tool_calls>, \\\"\"}}]</tool_calls>")
                        .call("f", "{\"a\": \"]} <tool_calls>, \\\"\"}"),
                Example.of("<tool_calls>[{\"name\": \"f\"}]</tool_calls>").call("f", "{}"),
                Example.of("<tool_calls>[{\"name\": \"f\", \"arguments\": {\"a\": 1}").call("f", "{\"a\": 1}"),
                Example.of("<tool_calls>[{\"name\": \"f\", \"arguments\": {\"a\": \"b")
                        .endedBy(FinishReason.LENGTH)
                        .call("f", "{\"a\": \"b"),
                Example.of("<tool_calls>[{\"name\": \"f\", \"arguments\": {\"a\": 1}}]</tool_calls> x<tool_calls> y")
                        .content("x<tool_calls> y")
                        .call("f", "{\"a\": 1}"),
                Example.of("<tool_calls>[{\"name\": \"f")
                        .endedBy(FinishReason.LENGTH)
                        .content("<tool_calls>[{\"name\": \"f"),
                Example.of("<tool_calls>[]").content("<tool_calls>[]"),
                Example.of("<tool_calls>[{\"name\": 5}]</tool_calls>").content("<tool_calls>[{\"name\": 5}]</tool_calls>"),
                Example.of("<tool_calls>[{\"name\": \"f\", \"arguments\": {\"a\": 1}}, {\"nam")
                        .endedBy(FinishReason.LENGTH)
                        .content("{\"nam")
                        .call("f", "{\"a\": 1}"),
                Example.of("[{\"name\": \"f\", \"parameters\": {\"a\": [{}]}}, {\"name\": \"g\", \"parameters\": {}}]")
                        .in(choice(ToolChoice.REQUIRED))
                        .call("f", "{\"a\": [{}]}")
                        .call("g", "{}"),
                Example.of("<tool_calls>[{\"name\": \"f\", \"arguments\": {\"a\": 1}}]</tool_calls>").in(choice(ToolChoice.REQUIRED)).call("f", "{\"a\": 1}"),
                Example.of("I will not.").in(choice(ToolChoice.REQUIRED)).content("I will not."),
                Example.of(" {\"a\": 1")
                        .in(choice(ToolChoice.named("f")))
                        .endedBy(FinishReason.LENGTH)
                        .call("f", " {\"a\": 1"),
                Example.of(" \n").in(choice(ToolChoice.named("f"))).content(" \n"));
    }

    private static TestContext choice(ToolChoice choice) {
        return TestContext.builder().toolChoice(choice).build();
    }
}
