package io.glyphgate.plugin.toolparsers;

import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.ToolParserProvider;
import io.glyphgate.testkit.Example;
import io.glyphgate.testkit.ToolParserContract;
import java.util.List;

class Llama4PythonicTest extends ToolParserContract {
    @Override
    protected ToolParserProvider provider() {
        return new Llama4Pythonic();
    }

    @Override
    protected List<Example> examples() {
        return List.of(
                Example.of("No call at all.").content("No call at all."),
                Example.of("[f(a=1), ping()]").call("f", "{\"a\": 1}").call("ping", "{}"),
                Example.of("<|python_start|>[f(a='<|python_end|>')]<|python_end|>")
                        .call("f", "{\"a\": \"<|python_end|>\"}"),
                Example.of("<|python_start|>[ping()]<|python_end|> Done.")
                        .content("Done.")
                        .call("ping", "{}"),
                Example.of("<|python_start|>[f(a=1, b=1+2)]<|python_end|>")
                        .content("1+2)]<|python_end|>")
                        .call("f", "{\"a\": 1"),
                Example.of("<|python_start|>[f(a=1]<|python_end|>").call("f", "{\"a\": 1"),
                Example.of("<|python_start|>print(1)<|python_end|>").content("<|python_start|>print(1)<|python_end|>"),
                Example.of("<|python_start|>[ping()]<|python_")
                        .content("<|python_")
                        .endedBy(FinishReason.LENGTH)
                        .call("ping", "{}"),
                Example.of("<|python_start|>[f(a='Ob")
                        .endedBy(FinishReason.LENGTH)
                        .call("f", "{\"a\": \"Ob"));
    }
}
