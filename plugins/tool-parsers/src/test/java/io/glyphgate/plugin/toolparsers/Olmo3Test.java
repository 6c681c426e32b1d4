package io.glyphgate.plugin.toolparsers;

import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.ToolParserProvider;
import io.glyphgate.testkit.Example;
import io.glyphgate.testkit.ToolParserContract;
import java.util.List;

class Olmo3Test extends ToolParserContract {
    private static final String PING = "<function_calls>\nping()\n</function_calls>";

    @Override
    protected ToolParserProvider provider() {
        return new Olmo3();
    }

    @Override
    protected List<Example> examples() {
        return List.of(
                Example.of("No call at all.\n").content("No call at all.\n"),
                Example.of(PING).call("ping", "{}"),
                Example.of("<function_calls>f(a=true)\nping()</function_calls>")
                        .call("f", "{\"a\": true}")
                        .call("ping", "{}"),
                Example.of("\nBefore.\n" + PING + "\nBetween.\n" + PING + "\n")
                        .content("\nBefore.\nBetween.")
                        .call("ping", "{}")
                        .call("ping", "{}"),
                Example.of("<function_calls>\nf(a=\"say </function_calls> now\",\n  b=[\"\"])\n</function_calls>")
                        .call("f", "{\"a\": \"say </function_calls> now\", \"b\": [\"\"]}"),
                Example.of("f(a=1)").content("f(a=1)"),
                Example.of("<function_calls>\njust text\n</function_calls>")
                        .content("<function_calls>\njust text\n</function_calls>"),
                Example.of("<function_calls>\nf(a=1)\nmore text\n</function_calls>")
                        .content("more text")
                        .call("f", "{\"a\": 1}"),
                Example.of("<function_calls>\nf(a=\"\", b=1\n</function_calls>\nAfter.")
                        .content("After.")
                        .call("f", "{\"a\": \"\", \"b\": 1"),
                Example.of("<function_calls>\nf(a=1)\n</function_calls")
                        .endedBy(FinishReason.LENGTH)
                        .call("f", "{\"a\": 1}"),
                Example.of("<function_calls>\nf(a=\"Ob")
                        .endedBy(FinishReason.LENGTH)
                        .call("f", "{\"a\": \"Ob"),
                Example.of("Let me <function_").content("Let me <function_").endedBy(FinishReason.LENGTH));
    }
}
