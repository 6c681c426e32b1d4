package io.glyphgate.plugin.toolparsers;

import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.ToolChoice;
import io.glyphgate.spi.ToolParserProvider;
import io.glyphgate.testkit.Example;
import io.glyphgate.testkit.TestContext;
import io.glyphgate.testkit.ToolParserContract;
import java.util.List;

class GraniteTest extends ToolParserContract {
    @Override
    protected ToolParserProvider provider() {
        return new Granite();
    }

    @Override
    protected List<Example> examples() {
        return List.of(
                Example.of("No call at all. ").content("No call at all. "),
                Example.of("<|tool_call|>[{\"name\": \"f\", \"arguments\": {\"a\": 1}}]").call("f", "{\"a\": 1}"),
                Example.of("<|tool_call|>[{\"name\": \"f\", \"arguments\": {\"a\": 1}}, {\"arguments\": {\"name\": {}}, \"name\": \"g\"}]")
                        .call("f", "{\"a\": 1}")
                        .call("g", "{\"name\": {}}"),
                Example.of("Before.\n<|tool_call|>[{\"name\": \"f\", \"arguments\": {\"a\": 1}}]\nAfter.\n")
                        .content("Before.\nAfter.\n")
                        .call("f", "{\"a\": 1}"),
                Example.of("<|tool_call|>[{\"name\": \"f\", \"parameters\": {\"a\": \"]} <tool_call>, \\\"\"}}]")
                        .call("f", "{\"a\": \"]} <tool_call>, \\\"\"}"),
                Example.of("<|tool_call|>[{\"name\": \"f\"}]").call("f", "{}"),
                Example.of("<|tool_call|>[{\"name\": \"f\", \"arguments\": {\"a\": 1}").call("f", "{\"a\": 1}"),
                Example.of("<|tool_call|>[{\"name\": \"f\", \"arguments\": {\"a\": \"b")
                        .endedBy(FinishReason.LENGTH)
                        .call("f", "{\"a\": \"b"),
                Example.of("<|tool_call|>[{\"name\": \"f\", \"arguments\": {\"a\": 1}}] x<tool_call> y")
                        .content("x<tool_call> y")
                        .call("f", "{\"a\": 1}"),
                Example.of("<|tool_call|>[{\"name\": \"f")
                        .endedBy(FinishReason.LENGTH)
                        .content("<|tool_call|>[{\"name\": \"f"),
                Example.of("<|tool_call|>[]").content("<|tool_call|>[]"),
                Example.of("<|tool_call|>[{\"name\": 5}]").content("<|tool_call|>[{\"name\": 5}]"),
                Example.of("<|tool_call|>[{\"name\": \"f\", \"arguments\": {\"a\": 1}}, {\"nam")
                        .endedBy(FinishReason.LENGTH)
                        .content("{\"nam")
                        .call("f", "{\"a\": 1}"),
                Example.of("[{\"name\": \"f\", \"parameters\": {\"a\": [{}]}}, {\"name\": \"g\", \"parameters\": {}}]")
                        .in(choice(ToolChoice.REQUIRED))
                        .call("f", "{\"a\": [{}]}")
                        .call("g", "{}"),
                Example.of("<|tool_call|>[{\"name\": \"f\", \"arguments\": {\"a\": 1}}]").in(choice(ToolChoice.REQUIRED)).call("f", "{\"a\": 1}"),
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
