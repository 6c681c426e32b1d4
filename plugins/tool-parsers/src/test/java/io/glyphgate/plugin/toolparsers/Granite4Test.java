package io.glyphgate.plugin.toolparsers;

import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.ToolChoice;
import io.glyphgate.spi.ToolParserProvider;
import io.glyphgate.testkit.Example;
import io.glyphgate.testkit.TestContext;
import io.glyphgate.testkit.ToolParserContract;
import java.util.List;

class Granite4Test extends ToolParserContract {
    @Override
    protected ToolParserProvider provider() {
        return new Granite4();
    }

    @Override
    protected List<Example> examples() {
        return List.of(
                Example.of("No call at all. ").content("No call at all. "),
                Example.of("I look.\n<tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\": 1}}\n</tool_call>\nDone.")
                        .content("I look.\n\nDone.")
                        .call("f", "{\"a\": 1}"),
                Example.of("<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": \"</tool_call>")
                        .endedBy(FinishReason.LENGTH)
                        .call("f", "{\"a\": \"</tool_call>"),
                demanded(ToolChoice.REQUIRED, "[{\"name\": \"f\", \"parameters\": {\"a\": 1}}, {\"name\": \"g\"}]")
                        .call("f", "{\"a\": 1}")
                        .call("g", "{}"),
                demanded(ToolChoice.REQUIRED, "<tool_call>{\"name\": \"f\", \"arguments\": {}}</tool_call>")
                        .call("f", "{}"),
                demanded(ToolChoice.named("f"), "{\"a\": 1}").call("f", "{\"a\": 1}"));
    }

    private static Example demanded(ToolChoice choice, String output) {
        return Example.of(output).in(TestContext.builder().toolChoice(choice).build());
    }
}
