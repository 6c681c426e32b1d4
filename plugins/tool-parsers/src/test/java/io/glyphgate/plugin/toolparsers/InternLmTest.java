package io.glyphgate.plugin.toolparsers;

import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.ToolChoice;
import io.glyphgate.spi.ToolParserProvider;
import io.glyphgate.testkit.Example;
import io.glyphgate.testkit.TestContext;
import io.glyphgate.testkit.ToolParserContract;
import java.util.List;

class InternLmTest extends ToolParserContract {
    @Override
    protected ToolParserProvider provider() {
        return new InternLm();
    }

    @Override
    protected List<Example> examples() {
        return List.of(
                Example.of("No call at all. ").content("No call at all. "),
                Example.of("<|action_start|><|plugin|>{\"name\": \"f\", \"arguments\": {\"a\": 1}}<|action_end|>").call("f", "{\"a\": 1}"),
                Example.of("<|action_start|><|plugin|>{\"name\": \"f\", \"arguments\": {\"a\": 1}}<|action_end|>\n<|action_start|><|plugin|>{\"arguments\": {\"name\": {}}, \"name\": \"g\"}<|action_end|>")
                        .call("f", "{\"a\": 1}")
                        .call("g", "{\"name\": {}}"),
                Example.of("Before.\n<|action_start|><|plugin|>{\"name\": \"f\", \"arguments\": {\"a\": 1}}<|action_end|>\nAfter.\n")
                        .content("Before.\n\nAfter.\n")
                        .call("f", "{\"a\": 1}"),
                Example.of("<|action_start|><|plugin|>{\"name\": \"f\", \"parameters\": {\"a\": \"]} <|action_start|><|plugin|>, \\\"\"}}<|action_end|>")
                        .call("f", "{\"a\": \"]} <|action_start|><|plugin|>, \\\"\"}"),
                Example.of("<|action_start|><|plugin|>{\"name\": \"f\"}<|action_end|>").call("f", "{}"),
                Example.of("<|action_start|><|plugin|>{\"name\": \"f\", \"arguments\": {\"a\": 1}").call("f", "{\"a\": 1}"),
                Example.of("<|action_start|><|plugin|>{\"name\": \"f\", \"arguments\": {\"a\": \"b")
                        .endedBy(FinishReason.LENGTH)
                        .call("f", "{\"a\": \"b"),
                Example.of("<|action_start|><|plugin|>{\"name\": \"f\", \"arguments\": {\"a\": 1}}<|action_end|> x<|action_start|><|plugin|> y")
                        .content("x<|action_start|><|plugin|> y")
                        .call("f", "{\"a\": 1}"),
                Example.of("<|action_start|><|plugin|>{\"name\": \"f")
                        .endedBy(FinishReason.LENGTH)
                        .content("<|action_start|><|plugin|>{\"name\": \"f"),
                Example.of("<|action_start|><|plugin|> x").content("<|action_start|><|plugin|> x"),
                Example.of("<|action_start|><|plugin|>{\"name\": 5}<|action_end|>").content("<|action_start|><|plugin|>{\"name\": 5}<|action_end|>"),
                Example.of("[{\"name\": \"f\", \"parameters\": {\"a\": [{}]}}, {\"name\": \"g\", \"parameters\": {}}]")
                        .in(choice(ToolChoice.REQUIRED))
                        .call("f", "{\"a\": [{}]}")
                        .call("g", "{}"),
                Example.of("<|action_start|><|plugin|>{\"name\": \"f\", \"arguments\": {\"a\": 1}}<|action_end|>").in(choice(ToolChoice.REQUIRED)).call("f", "{\"a\": 1}"),
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
