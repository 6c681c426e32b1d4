package io.glyphgate.plugin.reasoningparsers;

import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.ReasoningParserProvider;
import io.glyphgate.testkit.Example;
import io.glyphgate.testkit.ReasoningParserContract;
import io.glyphgate.testkit.TestContext;
import java.util.List;

class MinimaxM3Test extends ReasoningParserContract {
    @Override
    protected ReasoningParserProvider provider() {
        return new MinimaxM3();
    }

    @Override
    protected List<Example> examples() {
        return List.of(
                Example.of("<mm:think>Count.</mm:think>Seven.").reasoning("Count.").content("Seven."),
                Example.of("Seven. <thin").content("Seven. <thin").endedBy(FinishReason.LENGTH),
                Example.of("</mm:think>Seven.").content("Seven."),
                Example.of("Well. <mm:think>a</mm:think>b").reasoning("a").content("Well. b"),
                Example.of("<mm:think>a </mm:th").reasoning("a </mm:th").endedBy(FinishReason.LENGTH),
                Example.of("a</mm:think>b")
                        .in(TestContext.builder().prompt("]~b]ai\n<mm:think>").build())
                        .reasoning("a")
                        .content("b"),
                Example.of("a")
                        .in(TestContext.builder()
                                .prompt("]~b]ai\n<mm:think>old[e~[\n]~b]user\nhi[e~[\n]~b]ai\n")
                                .build())
                        .content("a"));
    }
}
