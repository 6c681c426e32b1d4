package io.glyphgate.plugin.reasoningparsers;

import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.ReasoningParserProvider;
import io.glyphgate.testkit.Example;
import io.glyphgate.testkit.ReasoningParserContract;
import io.glyphgate.testkit.TestContext;
import java.util.List;

class MinimaxM2AppendThinkTest extends ReasoningParserContract {
    @Override
    protected ReasoningParserProvider provider() {
        return new MinimaxM2AppendThink();
    }

    @Override
    protected List<Example> examples() {
        return List.of(
                Example.of("Count.</think>Seven.").content("<think>Count.</think>Seven."),
                Example.of("<think>Count.</think>").content("<think><think>Count.</think>"),
                Example.of(" \n").content("<think> \n").endedBy(FinishReason.LENGTH),
                Example.of("a").in(TestContext.builder().prompt("]~b]ai\n<think>\n").build()).content("<think>a"),
                Example.of("a").in(TestContext.builder().prompt("]~b]ai\n<think>\n</think>\n").build()).content("a"),
                Example.of("a")
                        .in(TestContext.builder()
                                .prompt("]~b]ai\n<think>old</think>Old.[e~[\n]~b]user\nhi[e~[\n]~b]ai\n")
                                .build())
                        .content("<think>a"));
    }
}
