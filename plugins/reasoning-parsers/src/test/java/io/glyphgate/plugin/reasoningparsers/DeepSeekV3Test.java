package io.glyphgate.plugin.reasoningparsers;

import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.ReasoningParserProvider;
import io.glyphgate.testkit.Example;
import io.glyphgate.testkit.ReasoningParserContract;
import io.glyphgate.testkit.TestContext;
import java.util.List;

class DeepSeekV3Test extends ReasoningParserContract {
    @Override
    protected ReasoningParserProvider provider() {
        return new DeepSeekV3();
    }

    @Override
    protected List<Example> examples() {
        return List.of(
                Example.of("<think>a</think>b").content("<think>a</think>b"),
                Example.of("<think>a</think>b")
                        .in(thinking("thinking", true))
                        .reasoning("a")
                        .content("b"),
                Example.of("a <think>b</think>c")
                        .in(thinking("enable_thinking", true))
                        .reasoning("a b")
                        .content("c"),
                Example.of("a\n").in(thinking("thinking", true)).reasoning("a\n").endedBy(FinishReason.LENGTH),
                Example.of("a</think>b").in(thinking("thinking", false)).content("a</think>b"));
    }

    private static TestContext thinking(String argument, boolean value) {
        return TestContext.builder().chatTemplateArgument(argument, value).build();
    }
}
