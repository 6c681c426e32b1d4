package io.glyphgate.plugin.reasoningparsers;

import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.ReasoningParserProvider;
import io.glyphgate.testkit.Example;
import io.glyphgate.testkit.ReasoningParserContract;
import io.glyphgate.testkit.TestContext;
import java.util.List;

class DeepSeekR1Test extends ReasoningParserContract {
    private static final String TURN =
            "<｜User｜>hi<｜Assistant｜><think>old</think>Old.<｜end▁of▁sentence｜><｜User｜>hi<｜Assistant｜>";

    @Override
    protected ReasoningParserProvider provider() {
        return new DeepSeekR1();
    }

    @Override
    protected List<Example> examples() {
        return List.of(
                Example.of("<think>Count.</think>Seven.").reasoning("Count.").content("Seven."),
                Example.of("Count.</think>Seven.").reasoning("Count.").content("Seven."),
                Example.of("before <think>a <think>b</think> c</think> d")
                        .reasoning("before a <think>b")
                        .content(" c</think> d"),
                Example.of("終わり🚢").reasoning("終わり🚢").endedBy(FinishReason.LENGTH),
                Example.of("a</think>b").in(prompt(TURN)).reasoning("a").content("b"),
                Example.of("a</think>b")
                        .in(prompt(TURN + "<think>\n"))
                        .reasoning("a")
                        .content("b"),
                Example.of("a</think>b")
                        .in(prompt(TURN + "<think>\n</think>\n"))
                        .content("a</think>b"),
                Example.of("a</think>b")
                        .in(TestContext.builder()
                                .chatTemplateArgument("enable_thinking", false)
                                .build())
                        .reasoning("a")
                        .content("b"));
    }

    private static TestContext prompt(String text) {
        return TestContext.builder().prompt(text).build();
    }
}
