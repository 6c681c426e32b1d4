package io.glyphgate.plugin.toolparsers;

import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.ToolChoice;
import io.glyphgate.spi.ToolParserProvider;
import io.glyphgate.testkit.Example;
import io.glyphgate.testkit.TestContext;
import io.glyphgate.testkit.ToolParserContract;
import java.util.List;

class Granite20bFcTest extends ToolParserContract {
    @Override
    protected ToolParserProvider provider() {
        return new Granite20bFc();
    }

    @Override
    protected List<Example> examples() {
        return List.of(
                Example.of("No call at all. ").content("No call at all. "),
                Example.of("I look. <function_call> {\"name\": \"f\", \"arguments\": {\"a\": 1}}\n<function_call>{\"name\": \"g\", \"arguments\": {}}")
                        .content("I look. ")
                        .call("f", "{\"a\": 1}")
                        .call("g", "{}"),
                Example.of("<function_call>{\"name\": \"f\", \"arguments\": {\"a\": \"<function_call>")
                        .endedBy(FinishReason.LENGTH)
                        .call("f", "{\"a\": \"<function_call>"),
                Example.of("The <function_call> marker").content("The <function_call> marker"),
                Example.of("[{\"name\": \"f\", \"parameters\": {}}]").in(choice(ToolChoice.REQUIRED)).call("f", "{}"));
    }

    private static TestContext choice(ToolChoice choice) {
        return TestContext.builder().toolChoice(choice).build();
    }
}
