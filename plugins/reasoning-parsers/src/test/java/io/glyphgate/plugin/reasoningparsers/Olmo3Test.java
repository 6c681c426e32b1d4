package io.glyphgate.plugin.reasoningparsers;

import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.ReasoningParserProvider;
import io.glyphgate.spi.ToolOpener;
import io.glyphgate.testkit.Example;
import io.glyphgate.testkit.ReasoningParserContract;
import io.glyphgate.testkit.TestContext;
import java.util.List;

class Olmo3Test extends ReasoningParserContract {
    private static final String TURN = "<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n";

    @Override
    protected ReasoningParserProvider provider() {
        return new Olmo3();
    }

    @Override
    protected List<Example> examples() {
        return List.of(
                Example.of("<think>\nShort.\n</think>\n\nYes.")
                        .reasoning("\nShort.\n")
                        .content("\n\nYes."),
                Example.of("Short.</think>Yes.")
                        .in(prompt(TURN + "<think>"))
                        .reasoning("Short.")
                        .content("Yes."),
                Example.of("a</think>b").in(prompt(TURN + "<think></think>")).content("a</think>b"),
                Example.of("a <think><think>b</think></think>c")
                        .reasoning("a <think>b")
                        .content("</think>c"),
                Example.of("It never ends </thi")
                        .reasoning("It never ends </thi")
                        .endedBy(FinishReason.LENGTH),
                Example.of("I mention <function_calls> and call.\n<function_calls>\nf(a=1)")
                        .in(TestContext.builder()
                                .toolOpeners(List.of(new ToolOpener("<function_calls>", List.of("f("))))
                                .build())
                        .reasoning("I mention <function_calls> and call.\n")
                        .content("<function_calls>\nf(a=1)"));
    }

    private static TestContext prompt(String text) {
        return TestContext.builder().prompt(text).build();
    }
}
