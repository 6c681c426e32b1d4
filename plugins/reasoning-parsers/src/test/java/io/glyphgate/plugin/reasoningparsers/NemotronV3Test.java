package io.glyphgate.plugin.reasoningparsers;

import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.ReasoningParserProvider;
import io.glyphgate.spi.ToolOpener;
import io.glyphgate.testkit.Example;
import io.glyphgate.testkit.ReasoningParserContract;
import io.glyphgate.testkit.TestContext;
import java.util.List;

class NemotronV3Test extends ReasoningParserContract {
    @Override
    protected ReasoningParserProvider provider() {
        return new NemotronV3();
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
                Example.of("I see. \n<tool_call>{x")
                        .in(TestContext.builder()
                                .toolOpeners(List.of(new ToolOpener("<tool_call>", List.of("{"))))
                                .build())
                        .reasoning("I see.")
                        .content("<tool_call>{x"),
                Example.of("a</think>b ")
                        .in(TestContext.builder().chatTemplateArgument("enable_thinking", false).build())
                        .content("a</think>b "),
                Example.of("<think>a")
                        .in(TestContext.builder().chatTemplateArgument("force_nonempty_content", true).build())
                        .reasoning("a"));
    }
}
