package io.glyphgate.plugin.toolparsers;

import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.ToolParserProvider;
import io.glyphgate.testkit.Example;
import io.glyphgate.testkit.ToolParserContract;
import java.util.List;

class LongcatTest extends ToolParserContract {
    @Override
    protected ToolParserProvider provider() {
        return new Longcat();
    }

    @Override
    protected List<Example> examples() {
        return List.of(
                Example.of("No call at all. ").content("No call at all. "),
                Example.of("I look.\n<longcat_tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\": 1}}\n</longcat_tool_call>\n")
                        .content("I look.\n")
                        .call("f", "{\"a\": 1}"),
                Example.of("<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": 1}}</tool_call>").content("<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": 1}}</tool_call>"),
                Example.of("<longcat_tool_call>{\"name\": \"f\", \"arguments\": {\"a\": \"</longcat_tool_call>")
                        .endedBy(FinishReason.LENGTH)
                        .call("f", "{\"a\": \"</longcat_tool_call>"));
    }
}
