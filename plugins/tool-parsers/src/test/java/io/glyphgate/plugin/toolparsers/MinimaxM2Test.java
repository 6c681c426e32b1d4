package io.glyphgate.plugin.toolparsers;

import static org.assertj.core.api.Assertions.assertThat;

import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.ToolParserProvider;
import io.glyphgate.testkit.Example;
import io.glyphgate.testkit.Parsed;
import io.glyphgate.testkit.ParserLaws;
import io.glyphgate.testkit.Recorder;
import io.glyphgate.testkit.TestContext;
import io.glyphgate.testkit.ToolParserContract;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MinimaxM2Test extends ToolParserContract {
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
        return new MinimaxM2();
    }

    @Override
    protected List<Example> examples() {
        return List.of(
                of("No call at all.\n").content("No call at all.\n"),
                of(PING).call("ping", "{}"),
                of("Before.\n\n" + PING + "\n" + PING + "\nAfter.")
                        .content("Before.\nAfter.")
                        .call("ping", "{}")
                        .call("ping", "{}"),
                f("<parameter name=\"text\">\n a \n</parameter>\n<parameter name='n'>7</parameter>"
                                + "<parameter name=note>null</parameter>")
                        .call("f", "{\"text\": \"\\n a \\n\", \"n\": 7, \"note\": null}"),
                f("<parameter name=\"text\">a</parameter> b</invoke> <invoke name=\"ping\"></parameter>")
                        .call("f", "{\"text\": \"a</parameter> b</invoke> <invoke name=\\\"ping\\\">\"}"),
                f("<parameter name=\"text\">a<parameter name=\"n\">2</parameter>")
                        .call("f", "{\"text\": \"a\", \"n\": 2}"),
                of("<minimax:tool_call><invoke name='f'></invoke><invoke name=ping></invoke></minimax:tool_call>")
                        .call("f", "{}")
                        .call("ping", "{}"),
                of("<invoke name=\"ping\">\n</invoke>").call("ping", "{}"),
                of("<minimax:tool_call>\n<invoke name=\"f\">\n<parameter name=\"n\">1</parameter>\n</minimax:tool_call>")
                        .call("f", "{\"n\": 1}"),
                of("<minimax:tool_call>\n<invoke name=\"other\">\n</invoke>\n</minimax:tool_call>")
                        .content("<minimax:tool_call>\n<invoke name=\"other\">\n</invoke>\n</minimax:tool_call>"),
                of("<minimax:tool_call>\n</minimax:tool_call>").content("<minimax:tool_call>\n</minimax:tool_call>"),
                cut("<minimax:tool_call>\n<invoke name=\"pi").content("<minimax:tool_call>\n<invoke name=\"pi"),
                cut("<minimax:tool_call><invoke name=\"f\"><parameter name=\"text\">so").call("f", "{\"text\": \"so"),
                cut("<minimax:tool_call><invoke name=\"f\"><parameter na").call("f", "{}"),
                cut(PING.substring(0, PING.length() - 3)).call("ping", "{}"));
    }

    private static Example of(String output) {
        return Example.of(output).in(TOOLS);
    }

    private static Example cut(String output) {
        return of(output).endedBy(FinishReason.LENGTH);
    }

    private static final String PING = "<minimax:tool_call>\n<invoke name=\"ping\">\n</invoke>\n</minimax:tool_call>";

    private static Example f(String parameters) {
        return of("<minimax:tool_call>\n<invoke name=\"f\">\n" + parameters + "\n</invoke>\n</minimax:tool_call>");
    }

    @Test
    void tellsOfAnAttributeThatItDoesNotKnow() {
        String output = "<minimax:tool_call><invoke name=\"f\">"
                + "<parameter name=\"s\" x=1>v</parameter></invoke></minimax:tool_call>";
        TestContext context = TestContext.builder().tool("f", Map.of()).build();
        Recorder out = ParserLaws.run(new MinimaxM2().create(context), List.of(output), FinishReason.STOP);
        assertThat(out.parsed().calls()).containsExactly(new Parsed.Call("f", null, "{\"s\": \"v\"}"));
        assertThat(out.anomalies()).containsExactly("malformed-call");
    }
}
