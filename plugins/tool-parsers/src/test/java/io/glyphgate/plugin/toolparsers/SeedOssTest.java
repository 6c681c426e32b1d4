package io.glyphgate.plugin.toolparsers;

import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.ToolChoice;
import io.glyphgate.spi.ToolParserProvider;
import io.glyphgate.testkit.Example;
import io.glyphgate.testkit.TestContext;
import io.glyphgate.testkit.ToolParserContract;
import java.util.List;
import java.util.Map;

class SeedOssTest extends ToolParserContract {
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
        return new SeedOss();
    }

    @Override
    protected List<Example> examples() {
        return List.of(
                of("No call at all.\n").content("No call at all.\n"),
                of(PING).call("ping", "{}"),
                of("Before.\n" + PING + "\nAfter.").content("Before.\nAfter.").call("ping", "{}"),
                of("<function=ping>\n</function>").call("ping", "{}"),
                of("<tool_call>\n<function=ping>\n</function>\n</tool_call>")
                        .content("<tool_call>\n</tool_call>")
                        .call("ping", "{}"),
                cut("<seed:tool_call>\n<function=f>\n<parameter=text>\nso").call("f", "{\"text\": \"so"),
                named("\n{\"n\": [1, \"}\"]}\n").call("f", "{\"n\": [1, \"}\"]}"),
                named("{\"n\": 1} Done.\n").content("Done.\n").call("f", "{\"n\": 1}"),
                named("{\"n\": {\"a").call("f", "{\"n\": {\"a").endedBy(FinishReason.LENGTH),
                named(PING).call("ping", "{}"),
                named("Nothing to do.").content("Nothing to do."),
                named(" \n").content(" \n"),
                required("[{\"name\": \"f\", \"parameters\": {\"n\": 1}}, {\"parameters\": {}, \"name\": \"ping\"}]\n")
                        .call("f", "{\"n\": 1}")
                        .call("ping", "{}"),
                required("[{\"name\": \"f\", \"parameters\": {\"n\": 1}}, {\"name\": \"f\", \"parameters\": {\"n\": [")
                        .call("f", "{\"n\": 1}")
                        .call("f", "{\"n\": [")
                        .endedBy(FinishReason.LENGTH),
                required("[] Done.").content("[] Done."),
                required("[\n").content("[\n"),
                required("[{\"name\": \"f\", \"parameters\": {\"n\": 1}, {\"name\": \"ping\", \"parameters\": {}]")
                        .call("f", "{\"n\": 1}")
                        .call("ping", "{}"),
                required("[1]").content("[1]"),
                required("[{\"name\": \"f\", \"parameters\": {}}, {\"x\": 1}]")
                        .content(", {\"x\": 1}]")
                        .call("f", "{}"),
                required("[{\"name\": \"f\", \"parameters\": {}} oops").content(" oops").call("f", "{}"),
                required(PING).call("ping", "{}"),
                required("Nothing to do.").content("Nothing to do."));
    }

    private static Example of(String output) {
        return Example.of(output).in(TOOLS);
    }

    private static Example cut(String output) {
        return of(output).endedBy(FinishReason.LENGTH);
    }

    private static final String PING = "<seed:tool_call>\n<function=ping>\n</function>\n</seed:tool_call>";

    private static Example named(String output) {
        return Example.of(output).in(tools().toolChoice(ToolChoice.named("f")).build());
    }

    private static Example required(String output) {
        return Example.of(output).in(tools().toolChoice(ToolChoice.REQUIRED).build());
    }
}
