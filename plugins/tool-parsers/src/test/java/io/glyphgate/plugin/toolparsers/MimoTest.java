package io.glyphgate.plugin.toolparsers;

import io.glyphgate.spi.ToolParserProvider;
import io.glyphgate.testkit.Example;
import io.glyphgate.testkit.ToolParserContract;
import java.util.List;

class MimoTest extends ToolParserContract {
    @Override
    protected ToolParserProvider provider() {
        return new Mimo();
    }

    @Override
    protected List<Example> examples() {
        return List.of(
                Example.of("No call at all. ").content("No call at all. "),
                Example.of("I look.\n<tool_call>\n<function=f>\n<parameter=s>\na\n</parameter>\n</function>\n</tool_call>")
                        .content("I look.")
                        .call("f", "{\"s\": \"\\na\\n\"}"),
                Example.of("<tool_call><function=f><parameter=s>a</parameter></function></tool_call>")
                        .call("f", "{\"s\": \"a\"}"));
    }
}
