package io.glyphgate.plugin.toolparsers;

import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.ToolParserProvider;
import io.glyphgate.testkit.Example;
import io.glyphgate.testkit.ToolParserContract;
import java.util.List;

class DeepSeekV31Test extends ToolParserContract {
    private static final String BEGIN = "<｜tool▁calls▁begin｜>";
    private static final String END = "<｜tool▁calls▁end｜>";

    private static String call(String name, String arguments) {
        return "<｜tool▁call▁begin｜>" + name + "<｜tool▁sep｜>" + arguments + "<｜tool▁call▁end｜>";
    }

    @Override
    protected ToolParserProvider provider() {
        return new DeepSeekV31();
    }

    @Override
    protected List<Example> examples() {
        return List.of(
                Example.of("No call at all.").content("No call at all."),
                Example.of(BEGIN + call("f", "{\"items\": [{\"t\": 1},\n {}]}") + "\n" + call("ping", "{}") + END)
                        .call("f", "{\"items\": [{\"t\": 1},\n {}]}")
                        .call("ping", "{}"),
                Example.of("Before.\n" + BEGIN + call("f", "{\"a\": \"```" + END + "\"}") + END + "\nAfter.")
                        .content("Before.\n\nAfter.")
                        .call("f", "{\"a\": \"```" + END + "\"}"),
                Example.of(BEGIN + call("f", "") + END).call("f", "{}"),
                Example.of(BEGIN + call("f", "{}}")).call("f", "{}"),
                Example.of(BEGIN + call("f", "}") + END).call("f", "{}"),
                Example.of(BEGIN + "<｜tool▁call▁begin｜>f{\"a\": 1}" + END).call("f", "{\"a\": 1}"),
                Example.of(BEGIN + "<｜tool▁call▁begin｜>f<｜tool▁sep｜>{\"a\": \"b")
                        .endedBy(FinishReason.LENGTH)
                        .call("f", "{\"a\": \"b"),
                Example.of(BEGIN + "<｜tool▁call▁begin｜>f")
                        .endedBy(FinishReason.LENGTH)
                        .content(BEGIN + "<｜tool▁call▁begin｜>f"),
                Example.of(BEGIN + call("f", "{}") + "<｜tool▁calls").call("f", "{}"),
                Example.of(BEGIN + "<｜tool▁call▁begin｜>f<ol▁sep｜>{}")
                        .content(BEGIN + "<｜tool▁call▁begin｜>f<ol▁sep｜>{}"),
                Example.of(BEGIN + END).content(BEGIN + END),
                Example.of(BEGIN + call("f", "{}") + "<｜tool▁call▁begin｜>" + END)
                        .content("<｜tool▁call▁begin｜>")
                        .call("f", "{}"),
                Example.of("Write " + BEGIN + " and then?").content("Write " + BEGIN + " and then?"),
                Example.of(call("f", "{}")).content(call("f", "{}")));
    }
}
