package io.glyphgate.plugin.toolparsers;

import io.glyphgate.spi.ToolParserProvider;
import io.glyphgate.testkit.Example;
import io.glyphgate.testkit.ToolParserContract;
import java.util.List;

class Step5Test extends ToolParserContract {
    @Override
    protected ToolParserProvider provider() {
        return new Step5();
    }

    @Override
    protected List<Example> examples() {
        return List.of(
                Example.of("No call at all. ").content("No call at all. "),
                Example.of("I look.\n<tool_call>\n<function=f>\n<parameter=s>\na\n</parameter>\n</function>\n</tool_call>")
                        .content("I look.\n")
                        .call("f", "{\"s\": \"a\"}"));
    }
}
