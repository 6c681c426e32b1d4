package io.glyphgate.plugin.toolparsers;

import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.ToolParserProvider;
import io.glyphgate.testkit.Example;
import io.glyphgate.testkit.ToolParserContract;
import java.util.List;

class KimiK2Test extends ToolParserContract {
    private static final String BEGIN = "<|tool_calls_section_begin|>";
    private static final String END = "<|tool_calls_section_end|>";

    private static String call(String header, String arguments) {
        return "<|tool_call_begin|>" + header + "<|tool_call_argument_begin|>" + arguments + "<|tool_call_end|>";
    }

    @Override
    protected ToolParserProvider provider() {
        return new KimiK2();
    }

    @Override
    protected List<Example> examples() {
        return List.of(
                Example.of("No call at all.").content("No call at all."),
                Example.of(BEGIN + call("functions.run_cmd:3", "{\"c\": \"ls\"}") + call("run:4", "{}") + END)
                        .call("run_cmd", "functions.run_cmd:3", "{\"c\": \"ls\"}")
                        .call("run", "run:4", "{}"),
                Example.of("Before.\n" + BEGIN + call(" functions.f:0 ", " {\"a\": [1, {}]} ") + END + "\nAfter.")
                        .content("Before.\n\nAfter.")
                        .call("f", "functions.f:0", "{\"a\": [1, {}]}"),
                Example.of(BEGIN + call("f:0", "{\"a\": \"} " + END + BEGIN + "\\\"\"}") + END)
                        .call("f", "f:0", "{\"a\": \"} " + END + BEGIN + "\\\"\"}"),
                Example.of("\n" + BEGIN + call("f:0", "") + END + "\n").call("f", "f:0", "{}"),
                Example.of(BEGIN + call("f:0", "{\"a\": 1") + END).call("f", "f:0", "{\"a\": 1"),
                Example.of(BEGIN + call("f:0", "{}}}") + END).call("f", "f:0", "{}"),
                Example.of(BEGIN + "<|tool_call_begin|>f:0{\"a\": 1}" + END).call("f", "f:0", "{\"a\": 1}"),
                Example.of(BEGIN + "<|tool_call_begin|>f:0<|tool_call_argument_begin|>{\"a\": \"b")
                        .endedBy(FinishReason.LENGTH)
                        .call("f", "f:0", "{\"a\": \"b"),
                Example.of(BEGIN + call("f:0", "{}") + "<|tool_calls_sec").call("f", "f:0", "{}"),
                Example.of(BEGIN + "<|tool_call_begin|>functions.f")
                        .endedBy(FinishReason.LENGTH)
                        .content(BEGIN + "<|tool_call_begin|>functions.f"),
                Example.of(BEGIN + call("functions.f", "{}") + END)
                        .content(BEGIN + call("functions.f", "{}") + END),
                Example.of(BEGIN + call(":0", "{}") + END).content(BEGIN + call(":0", "{}") + END),
                Example.of(BEGIN + call("functions. f:0", "{}") + END).call("f", "functions. f:0", "{}"),
                Example.of(BEGIN + call("functions.:0", "{}") + END)
                        .content(BEGIN + call("functions.:0", "{}") + END),
                Example.of("Write " + BEGIN + " and then?").content("Write " + BEGIN + " and then?"),
                Example.of(call("f:0", "{}")).content(call("f:0", "{}")));
    }
}
