package io.glyphgate.plugin.toolparsers;

import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.ToolParserProvider;
import io.glyphgate.testkit.Example;
import io.glyphgate.testkit.TestContext;
import io.glyphgate.testkit.ToolParserContract;
import java.util.List;
import java.util.Map;

class DeepSeekV32Test extends ToolParserContract {
    private static final TestContext TOOLS = tools().build();

    private static TestContext.Builder tools() {
        return TestContext.builder()
                .tool("ping", Map.of())
                .tool(
                        "f",
                        Map.of(
                                "type",
                                "object",
                                "properties",
                                Map.of(
                                        "text", Map.of("type", "string"),
                                        "n", Map.of("type", "integer"),
                                        "o", Map.of("type", "object"),
                                        "note", Map.of("type", List.of("string", "null")))));
    }

    @Override
    protected ToolParserProvider provider() {
        return new DeepSeekV32();
    }

    @Override
    protected List<Example> examples() {
        return List.of(
                of("No call at all.\n").content("No call at all.\n"),
                of(PING).call("ping", "{}"),
                of("Before.\n\n" + PING + "\nAfter.").content("Before.\n\n\nAfter.").call("ping", "{}"),
                f(parameter("text", true, " a\n") + "\n" + parameter("n", false, "7") + parameter("x", false, "[1, \"2\"]"))
                        .call("f", "{\"text\": \" a\\n\", \"n\": 7, \"x\": [1, \"2\"]}"),
                f(parameter("n", true, "7") + parameter("x", true, "7") + parameter("y", false, "seven"))
                        .call("f", "{\"n\": 7, \"x\": \"7\", \"y\": \"seven\"}"),
                f("<｜DSML｜parameter name=\"x\">7</｜DSML｜parameter>").call("f", "{\"x\": \"7\"}"),
                f(parameter("arguments", false, "{\"text\": \"a\", \"n\": 2}"))
                        .call("f", "{\"text\": \"a\", \"n\": 2}"),
                f(parameter("arguments", false, "{\"text\": \"a\"}") + parameter("n", false, "2"))
                        .call("f", "{\"arguments\": {\"text\": \"a\"}, \"n\": 2}"),
                f(parameter("input", false, "{\"other\": 1}")).call("f", "{\"input\": {\"other\": 1}}"),
                f("<｜DSML｜parameter name='n\" string=\"false\">7</｜DSML｜parameter>").call("f", "{\"n\": 7}"),
                f("<｜DSML｜parameter name= n\" string=\"false\">7</｜DSML｜parameter>").call("f", "{\"n\": 7}"),
                f(parameter("text", true, "</｜DSML｜function_calls> <｜DSML｜function_calls>"))
                        .call("f", "{\"text\": \"</｜DSML｜function_calls> <｜DSML｜function_calls>\"}"),
                of("<｜DSML｜function_calls>\n</｜DSML｜function_calls>")
                        .content("<｜DSML｜function_calls>\n</｜DSML｜function_calls>"),
                cut("<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"f")
                        .content("<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"f"),
                cut("<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"f\">\n<｜DSML｜parameter name=\"text\" string=\"true\">so")
                        .call("f", "{\"text\": \"so"),
                cut("<｜DSML｜function_calls><｜DSML｜invoke name=\"f\"><｜DSML｜parameter name=\"arguments\" string=\"false\">"
                                + "{\"n\": 1}</｜DSML｜param")
                        .call("f", "{\"n\": 1}"),
                cut("<｜DSML｜function_calls><｜DSML｜invoke name=\"f\"><｜DSML｜parameter name=\"x\" string=\"false\">"
                                + "{\"n\": [1")
                        .call("f", "{\"x\": {\"n\": [1"));
    }

    private static Example of(String output) {
        return Example.of(output).in(TOOLS);
    }

    private static Example cut(String output) {
        return of(output).endedBy(FinishReason.LENGTH);
    }

    private static final String PING =
            "<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"ping\">\n</｜DSML｜invoke>\n</｜DSML｜function_calls>";

    private static String parameter(String name, boolean string, String value) {
        return "<｜DSML｜parameter name=\"" + name + "\" string=\"" + string + "\">" + value + "</｜DSML｜parameter>";
    }

    private static Example f(String parameters) {
        return of("<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"f\">\n" + parameters
                + "\n</｜DSML｜invoke>\n</｜DSML｜function_calls>");
    }
}
