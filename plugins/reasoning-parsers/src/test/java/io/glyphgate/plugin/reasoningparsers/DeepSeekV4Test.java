package io.glyphgate.plugin.reasoningparsers;

import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.ReasoningParserProvider;
import io.glyphgate.testkit.Example;
import io.glyphgate.testkit.ReasoningParserContract;
import io.glyphgate.testkit.TestContext;
import java.util.List;

class DeepSeekV4Test extends ReasoningParserContract {
    @Override
    protected ReasoningParserProvider provider() {
        return new DeepSeekV4();
    }

    @Override
    protected List<Example> examples() {
        return List.of(
                Example.of("<think>\nCount.\n</think>\n\nSeven.\n")
                        .reasoning("\nCount.")
                        .content("\n\nSeven.\n"),
                Example.of("a</think>b").in(argument("thinking", true)).reasoning("a").content("b"),
                Example.of("a</think>b").in(argument("thinking", false)).content("a</think>b"),
                Example.of("a</think>b").in(argument("enable_thinking", false)).content("a</think>b"),
                Example.of("a").in(argument("reasoning_effort", "none")).content("a"),
                Example.of("a").in(argument("reasoning_effort", "high")).reasoning("a").endedBy(FinishReason.LENGTH),
                Example.of("a").in(TestContext.builder().prompt("<｜Assistant｜></think>").build()).content("a"));
    }

    private static TestContext argument(String name, Object value) {
        return TestContext.builder().chatTemplateArgument(name, value).build();
    }
}
