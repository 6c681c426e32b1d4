package io.glyphgate.plugin.toolparsers;

import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.ToolChoice;
import io.glyphgate.spi.ToolParserProvider;
import io.glyphgate.testkit.Example;
import io.glyphgate.testkit.TestContext;
import io.glyphgate.testkit.ToolParserContract;
import java.util.List;
import java.util.Map;
class Step3Test extends ToolParserContract {
    private static final String OPEN = "<｜tool_calls_begin｜>";
    private static final String CLOSE = "<｜tool_calls_end｜>";
    private static final String CALL = "<｜tool_call_begin｜>function<｜tool_sep｜>";
    private static final String END = "</steptml:invoke><｜tool_call_end｜>";
    private static final String PING = CALL + "<steptml:invoke name=\"ping\">" + END;
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
        return new Step3();
    }

    @Override
    protected List<Example> examples() {
        return List.of(
                of("No call at all.\n").content("No call at all.\n"),
                of(OPEN + PING + CLOSE).call("ping", "{}"),
                of("\n" + OPEN + "\n" + PING + "\n" + PING + "\n" + CLOSE + "\n")
                        .call("ping", "{}")
                        .call("ping", "{}"),
                of("Before.\n" + OPEN + PING + CLOSE + "\nAfter.")
                        .content("Before.\n\nAfter.")
                        .call("ping", "{}"),
                f("text", " \n a b \n ").call("f", "{\"text\": \"a b\"}"),
                f("text", " ").call("f", "{\"text\": \"\"}"),
                f("n", " 07 ").call("f", "{\"n\": 7}"),
                f("n", "seven").call("f", "{\"n\": \"seven\"}"),
                f("o", "{\"k\": 1}").call("f", "{\"o\": \"{\\\"k\\\": 1}\"}"),
                f("note", "null").call("f", "{\"note\": \"null\"}"),
                f("text", "a " + CLOSE + " " + OPEN + " b").call("f", "{\"text\": \"a " + CLOSE + " " + OPEN + " b\"}"),
                of(OPEN + CALL + "\n<steptml:invoke name=\"f\">\n</steptml:invoke>\n<｜tool_call_end｜>")
                        .call("f", "{}"),
                of(OPEN + "<｜tool_call_begin｜>code<｜tool_sep｜><steptml:invoke name=\"f\">")
                        .content(OPEN + "<｜tool_call_begin｜>code<｜tool_sep｜><steptml:invoke name=\"f\">"),
                of("A " + OPEN + " alone, " + CLOSE).content("A " + OPEN + " alone, " + CLOSE),
                cut(OPEN + CALL + "<steptml:invoke name=\"f").content(OPEN + CALL + "<steptml:invoke name=\"f"),
                cut(OPEN + CALL + "<steptml:invoke name=\"f\"><steptml:parameter name=\"text\"> so ")
                        .call("f", "{\"text\": \"so"),
                cut(OPEN + CALL + "<steptml:invoke name=\"f\"><steptml:parameter name=\"n\"> ").call("f", "{"),
                Example.of("{\"n\": 1}")
                        .in(tools().toolChoice(ToolChoice.named("f")).build())
                        .call("f", "{\"n\": 1}"));
    }

    private static Example of(String output) {
        return Example.of(output).in(TOOLS);
    }

    private static Example cut(String output) {
        return of(output).endedBy(FinishReason.LENGTH);
    }

    private static Example f(String parameter, String value) {
        return of(OPEN + CALL + "<steptml:invoke name=\"f\"><steptml:parameter name=\"" + parameter + "\">" + value
                + "</steptml:parameter>" + END + CLOSE);
    }
}
