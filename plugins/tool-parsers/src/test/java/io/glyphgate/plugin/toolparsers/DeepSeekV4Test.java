package io.glyphgate.plugin.toolparsers;

import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.ToolParserProvider;
import io.glyphgate.testkit.Example;
import io.glyphgate.testkit.ToolParserContract;
import java.util.List;

class DeepSeekV4Test extends ToolParserContract {
    @Override
    protected ToolParserProvider provider() {
        return new DeepSeekV4();
    }

    @Override
    protected List<Example> examples() {
        return List.of(
                Example.of("No call at all. ").content("No call at all. "),
                Example.of("I look.\n<｜DSML｜tool_calls>\n<｜DSML｜invoke name=\"f\">\n<｜DSML｜parameter name=\"s\" string=\"true\">a >&1"
                                + "</｜DSML｜parameter>\n<｜DSML｜parameter name=\"n\" string=\"false\">5</｜DSML｜parameter>\n"
                                + "</｜DSML｜invoke>\n</｜DSML｜tool_calls>")
                        .content("I look.\n")
                        .call("f", "{\"s\": \"a >&1\", \"n\": 5}"),
                Example.of("<｜DSML｜tool_calls><｜DSML｜invoke name=\"f\"><｜DSML｜parameter name=\"s\" string=\"true\">so f")
                        .endedBy(FinishReason.LENGTH)
                        .call("f", "{\"s\": \"so f"),
                Example.of("<｜DSML｜tool><｜DSML｜invoke name=\"f\"></｜DSML｜invoke></｜DSML｜tool_calls>").call("f", "{}"),
                Example.of("<｜DSML｜toolcalls><｜DSML｜invoke name=\"f\"></｜DSML｜invoke></｜DSML｜toolcalls>").call("f", "{}"),
                Example.of("<｜DSML｜function_calls><｜DSML｜invoke name=\"f\"></｜DSML｜invoke>")
                        .content("<｜DSML｜function_calls><｜DSML｜invoke name=\"f\"></｜DSML｜invoke>"),
                Example.of("The <｜DSML｜tool_calls> marker").content("The <｜DSML｜tool_calls> marker"));
    }
}
