package io.glyphgate.plugin.toolparsers;

import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.ToolOpener;
import io.glyphgate.spi.ToolParserProvider;
import io.glyphgate.testkit.Example;
import io.glyphgate.testkit.TestContext;
import io.glyphgate.testkit.ToolParserContract;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import static org.assertj.core.api.Assertions.assertThat;

class Glm45Test extends ToolParserContract {
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
        return new Glm45();
    }

    @Override
    protected List<Example> examples() {
        return List.of(
                of("No call at all.\n").content("No call at all.\n"),
                of("<tool_call>ping</tool_call>").call("ping", "{}"),
                of("<tool_call>ping\n</tool_call>\n").call("ping", "{}"),
                of("Before.\n<tool_call>ping</tool_call>\n<tool_call> ping </tool_call>\nAfter.\n")
                        .content("Before.\nAfter.\n")
                        .call("ping", "{}")
                        .call("ping", "{}"),
                f("<arg_key>text</arg_key><arg_value> a\n</arg_value>\n<arg_key> n </arg_key> \n "
                                + "<arg_value>07</arg_value>")
                        .call("f", "{\"text\": \" a\\n\", \"n\": 7}"),
                f("<arg_key>o</arg_key><arg_value>{\"k\": [1]}</arg_value><arg_key>x</arg_key><arg_value>2</arg_value>")
                        .call("f", "{\"o\": {\"k\": [1]}, \"x\": \"2\"}"),
                f("<arg_key>text</arg_key><arg_value>a </arg_value> b </tool_call> <tool_call>ping</arg_value>")
                        .call("f", "{\"text\": \"a </arg_value> b </tool_call> <tool_call>ping\"}"),
                f("<arg_key>n</arg_key>").call("f", "{}"),
                f("<arg_key>n</arg_key>x<arg_key>text</arg_key><arg_value>y</arg_value>")
                        .call("f", "{\"text\": \"y\"}"),
                f("<arg_key>text</arg_key>\n<arg_value>no end\n").call("f", "{\"text\": \"no end\\n\"}"),
                of("<tool_call>ping<tool_call>ping</tool_call>").call("ping", "{}").call("ping", "{}"),
                of("<tool_call></tool_call>").content("<tool_call></tool_call>"),
                of("<tool_call>other<arg_key>k</arg_key><arg_value>1</arg_value></tool_call>")
                        .content("<tool_call>other<arg_key>k</arg_key><arg_value>1</arg_value></tool_call>"),
                of("I write <tool_call> and <tool_call>ping pong.")
                        .content("I write <tool_call> and <tool_call>ping pong."),
                cut("<tool_call>pin").content("<tool_call>pin"),
                cut("<tool_call>f<arg_key>te").call("f", "{}"),
                cut("<tool_call>f<arg_key>n</arg_key><arg_va").call("f", "{}"),
                cut("<tool_call>f<arg_key>text</arg_key><arg_value>some\n").call("f", "{\"text\": \"some\\n"),
                cut("<tool_call>f<arg_key>n</arg_key><arg_value>4</arg_v").call("f", "{\"n\": 4"),
                cut("<tool_call>f<arg_key>o</arg_key><arg_value>{\"k\": \"x</arg_value>")
                        .call("f", "{\"o\": {\"k\": \"x</arg_value>"),
                cut("<tool_call>f<arg_key>o</arg_key><arg_value>{\"k\": 1}</arg_value>").call("f", "{\"o\": {\"k\": 1}}"),
                cut("<tool_call>f<arg_key>o</arg_key><arg_value>{k</arg_value>\n").call("f", "{\"o\": \"{k\"}"));
    }

    private static Example of(String output) {
        return Example.of(output).in(TOOLS);
    }

    private static Example cut(String output) {
        return of(output).endedBy(FinishReason.LENGTH);
    }

    private static Example f(String parameters) {
        return of("<tool_call>f" + parameters + "</tool_call>");
    }

    @Test
    void openersNameTheFunctionsThatAreOffered() {
        TestContext ping = TestContext.builder().tool("ping", Map.of()).build();
        assertThat(provider().openers(ping))
                .containsExactly(
                        new ToolOpener("<tool_call>", List.of("ping\n", "ping<arg_key>", "ping</tool_call>")));
        assertThat(provider().openers(TestContext.builder().build())).isEmpty();
    }
}
