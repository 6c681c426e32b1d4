package io.glyphgate.plugin.reasoningparsers;

import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.ReasoningParserProvider;
import io.glyphgate.testkit.Example;
import io.glyphgate.testkit.ReasoningParserContract;
import io.glyphgate.testkit.TestContext;
import java.util.List;

class MinimaxM2Test extends ReasoningParserContract {
    @Override
    protected ReasoningParserProvider provider() {
        return new MinimaxM2();
    }

    @Override
    protected List<Example> examples() {
        return List.of(
                Example.of("<think>\nCount.\n</think>\n\nSeven.\n")
                        .reasoning("\nCount.")
                        .content("\n\nSeven.\n"),
                Example.of("One.\n\nTwo.\n").reasoning("One.\n\nTwo.").endedBy(FinishReason.LENGTH),
                Example.of("<think> \n </think>Seven.").content("Seven."),
                Example.of("a\n<think>\nb </think>c").reasoning("a\n\nb").content("c"),
                Example.of("a <think>").reasoning("a").endedBy(FinishReason.LENGTH),
                Example.of("<think>a</think>b</think> <think>c").reasoning("a").content("b</think> <think>c"),
                Example.of("<think>a </thi").reasoning("a </thi").endedBy(FinishReason.LENGTH),
                Example.of("a</think>b")
                        .in(TestContext.builder().chatTemplateArgument("enable_thinking", false).build())
                        .reasoning("a")
                        .content("b"),
                Example.of("a").in(TestContext.builder().prompt("]~b]ai\n<think>\n</think>\n").build()).content("a"),
                Example.of("a")
                        .in(TestContext.builder()
                                .prompt("]~b]ai\n<think>old</think>Old.[e~[\n]~b]user\nhi[e~[\n]~b]ai\n")
                                .build())
                        .reasoning("a"));
    }
}
