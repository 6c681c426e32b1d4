package io.glyphgate.plugin.toolparsers;

import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.ToolParserProvider;
import io.glyphgate.testkit.Example;
import io.glyphgate.testkit.TestContext;
import io.glyphgate.testkit.ToolParserContract;
import java.util.List;
import java.util.Map;

class Qwen3CoderTest extends ToolParserContract {
    private static final TestContext TOOLS = TestContext.builder()
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
                                    "x", Map.of("type", "number"),
                                    "on", Map.of("type", "boolean"),
                                    "o", Map.of("type", "object"),
                                    "a", Map.of("anyOf", List.of(Map.of("type", "array"), Map.of("type", "null"))),
                                    "note", Map.of("type", List.of("string", "null")))))
            .build();
    private static final String PING = "<tool_call>\n<function=ping>\n</function>\n</tool_call>";

    @Override
    protected ToolParserProvider provider() {
        return new Qwen3Coder();
    }

    @Override
    protected List<Example> examples() {
        return List.of(
                of("No call at all.\n").content("No call at all.\n"),
                of(PING).call("ping", "{}"),
                of("Before.\n\n" + PING + "\n" + PING + "\n")
                        .content("Before.")
                        .call("ping", "{}")
                        .call("ping", "{}"),
                of("Before.\n" + PING + "\nAfter.\n")
                        .content("Before.\nAfter.\n")
                        .call("ping", "{}"),
                of("\n" + PING + "\nAfter.").content("After.").call("ping", "{}"),
                f("<parameter=text>\nline 1\n\nline \"2\"\\\n\n</parameter>\n<parameter=n>\n 007 \n</parameter>")
                        .call("f", "{\"text\": \"line 1\\n\\nline \\\"2\\\"\\\\\\n\", \"n\": 7}"),
                f("""
                        <parameter=x>1e+21</parameter><parameter=on>
                        True
                        </parameter><parameter=o>
                        {"k": [1, "2"]}
                        </parameter>""")
                        .call("f", "{\"x\": 1000000000000000000000, \"on\": true, \"o\": {\"k\": [1, \"2\"]}}"),
                f("<parameter=\u00a0text >\nx\n</parameter>\u2028<parameter=n>\n\u00a07\n</parameter>")
                        .call("f", "{\"text\": \"x\", \"n\": 7}"),
                f("<parameter=a>\nnull\n</parameter>\n<parameter=note>null</parameter>\n<parameter=other>1</parameter>")
                        .call("f", "{\"a\": null, \"note\": null, \"other\": \"1\"}"),
                f("""
                        <parameter=note>nullable text</parameter><parameter=note>nul</parameter><parameter=note>
                        </parameter>""")
                        .call("f", "{\"note\": \"nullable text\", \"note\": \"nul\", \"note\": \"\"}"),
                f("<parameter=n>\n2031-02-09\n</parameter>\n<parameter=o>\n{'k': 1}\n</parameter>")
                        .call("f", "{\"n\": \"2031-02-09\", \"o\": \"{'k': 1}\"}"),
                f("""
                        <parameter=text>a </parameter> b </tool_call> <tool_call>
                        <function=ping> </function> c</parameter>""")
                        .call(
                                "f",
                                "{\"text\": \"a </parameter> b </tool_call> <tool_call>\\n"
                                        + "<function=ping> </function> c\"}"),
                f("<parameter=text>\nno end\n<parameter=n>\n2\n</parameter>")
                        .call("f", "{\"text\": \"no end\", \"n\": 2}"),
                f("<parameter=text>\nno end").call("f", "{\"text\": \"no end\"}"),
                f("< parameter = text >\nOban\n< / parameter >").call("f", "{\"text\": \"Oban\"}"),
                f("stray text\n<parameter=n>1</parameter>").call("f", "{\"n\": 1}"),
                of("<function=ping>\n</function>").call("ping", "{}"),
                of("The <function=name> tag and <function=> too.")
                        .content("The <function=name> tag and <function=> too."),
                of("<tool_call>\n<function=f\n<parameter=n\n1\n</parameter>\n</tool_call>\nx")
                        .content("x")
                        .call("f", "{\"n\": 1}"),
                of("""
                        <tool_call>
                        <function=ping>
                        </function>
                        <function=ping>
                        </function>
                        <tool_call>
                        <function=ping>
                        </function>""")
                        .call("ping", "{}")
                        .call("ping", "{}")
                        .call("ping", "{}"),
                of("<tool_call>\n<function=unknown>\n<parameter=k>\n30\n</parameter>\n</function>\n</tool_call>")
                        .call("unknown", "{\"k\": \"30\"}"),
                of("<tool_call>\n</tool_call>").content("<tool_call>\n</tool_call>"),
                of("<tool_call>\n{\"name\": \"f\"}\n</tool_call>")
                        .content("<tool_call>\n{\"name\": \"f\"}\n</tool_call>"),
                of("Let me check <tool_").content("Let me check <tool_"),
                cut("<tool_call>\n<function=fi").content("<tool_call>\n<function=fi"),
                cut("<tool_call>\n<function=f>\n<parameter=n>\n3\n</parameter>\n<para")
                        .call("f", "{\"n\": 3}"),
                cut("<tool_call>\n<function=f>\n<parameter=text>\nfirst EN").call("f", "{\"text\": \"first EN"),
                cut("<tool_call>\n<function=f>\n<parameter=text>\nfirst\n</param")
                        .call("f", "{\"text\": \"first\\n</param"),
                cut("<tool_call>\n<function=f>\n<parameter=x>\n42.5\n</param").call("f", "{\"x\": 42.5"),
                cut("<tool_call>\n<function=f>\n<parameter=o>\n{\"k\": \"v").call("f", "{\"o\": {\"k\": \"v"),
                f("<parameter=\nn>\n7\n</parameter>").call("f", "{\"n\": 7}"),
                cut("<tool_call>\n<function=f>\n<parameter=n>\n").call("f", "{"));
    }

    private static Example of(String output) {
        return Example.of(output).in(TOOLS);
    }

    private static Example f(String parameters) {
        return of("<tool_call>\n<function=f>\n" + parameters + "\n</function>\n</tool_call>");
    }

    private static Example cut(String output) {
        return of(output).endedBy(FinishReason.LENGTH);
    }
}
