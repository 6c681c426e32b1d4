package io.glyphgate.plugin.reasoningparsers;

import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.ReasoningParserProvider;
import io.glyphgate.testkit.Example;
import io.glyphgate.testkit.ReasoningParserContract;
import io.glyphgate.testkit.TestContext;
import java.util.List;

class KimiK2Test extends ReasoningParserContract {
    private static final String TURN = "<|im_user|>user<|im_middle|>hi<|im_end|><|im_assistant|>assistant<|im_middle|>";

    @Override
    protected ReasoningParserProvider provider() {
        return new KimiK2();
    }

    @Override
    protected List<Example> examples() {
        return List.of(
                Example.of("<think>\nCount.\n</think>\n\nSeven.")
                        .reasoning("\nCount.")
                        .content("\n\nSeven."),
                Example.of("Count. </think>Seven.").reasoning("Count.").content("Seven."),
                Example.of("<think> \n </think>Seven.").content("Seven."),
                Example.of("a <think>b</think> c</think> d").reasoning("a b").content(" c</think> d"),
                Example.of("two\n\nlines \n").reasoning("two\n\nlines"),
                Example.of("cut </thin").reasoning("cut </thin").endedBy(FinishReason.LENGTH),
                Example.of("a </think>b").in(prompt(TURN)).reasoning("a").content("b"),
                Example.of("a</think>b").in(prompt(TURN + "<think></think>")).content("a</think>b"),
                Example.of("a").in(prompt("<think></think>x<|im_end|>" + TURN)).reasoning("a"),
                Example.of("a ").in(off("thinking")).content("a "),
                Example.of("a ").in(off("enable_thinking")).content("a "));
    }

    private static TestContext off(String argument) {
        return TestContext.builder().chatTemplateArgument(argument, false).build();
    }

    private static TestContext prompt(String text) {
        return TestContext.builder().prompt(text).build();
    }
}
