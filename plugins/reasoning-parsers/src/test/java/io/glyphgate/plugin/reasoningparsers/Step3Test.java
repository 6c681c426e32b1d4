package io.glyphgate.plugin.reasoningparsers;

import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.ReasoningParserProvider;
import io.glyphgate.spi.ToolOpener;
import io.glyphgate.testkit.Example;
import io.glyphgate.testkit.ReasoningParserContract;
import io.glyphgate.testkit.TestContext;
import java.util.List;

class Step3Test extends ReasoningParserContract {
    @Override
    protected ReasoningParserProvider provider() {
        return new Step3();
    }

    @Override
    protected List<Example> examples() {
        return List.of(
                Example.of("Count.\n</think>\n\nSeven.\n").reasoning("Count.\n").content("\n\nSeven.\n"),
                Example.of("<think>a <think>b</think> c</think> <think>d")
                        .reasoning("<think>a <think>b")
                        .content(" c</think> <think>d"),
                Example.of("<think>a </thi").reasoning("<think>a </thi").endedBy(FinishReason.LENGTH),
                Example.of("a").in(prompt("<|im_start|>assistant\n<think>\n")).reasoning("a"),
                Example.of("a").in(prompt("<|im_start|>assistant\n<think>\n\n</think>\n\n")).content("a"),
                Example.of("a")
                        .in(prompt("<think>old</think>Old.<|im_end|>\n<|im_start|>assistant\n"))
                        .reasoning("a"),
                Example.of("I see. <call>{x")
                        .in(TestContext.builder()
                                .toolOpeners(List.of(new ToolOpener("<call>", List.of("{"))))
                                .build())
                        .reasoning("I see. ")
                        .content("<call>{x"));
    }

    private static TestContext prompt(String text) {
        return TestContext.builder().prompt(text).build();
    }
}
