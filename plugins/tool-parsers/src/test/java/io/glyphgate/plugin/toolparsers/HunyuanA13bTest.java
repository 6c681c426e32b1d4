package io.glyphgate.plugin.toolparsers;

import io.glyphgate.testkit.Example;
import java.util.List;

class HunyuanA13bTest extends JsonArrayContract {
    HunyuanA13bTest() {
        super(new HunyuanA13b(), "<tool_calls>", "</tool_calls>", "Before.\n\nAfter.\n");
    }

    @Override
    List<Example> more() {
        return List.of(Example.of("<think>a <tool_calls>[{\"name\": \"f\"}]</tool_calls></think>\n<tool_calls>[{\"name\": \"g\"}]")
                .content("<think>a <tool_calls>[{\"name\": \"f\"}]</tool_calls></think>\n")
                .call("g", "{}"));
    }
}
