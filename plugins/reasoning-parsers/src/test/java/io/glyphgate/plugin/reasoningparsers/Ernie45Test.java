package io.glyphgate.plugin.reasoningparsers;

import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.ReasoningParserProvider;
import io.glyphgate.spi.ToolOpener;
import io.glyphgate.testkit.Example;
import io.glyphgate.testkit.ReasoningParserContract;
import io.glyphgate.testkit.TestContext;
import java.util.List;

class Ernie45Test extends ReasoningParserContract {
    @Override
    protected ReasoningParserProvider provider() {
        return new Ernie45();
    }

    @Override
    protected List<Example> examples() {
        return List.of(
                Example.of("<think>\nCount.\n</think>\n\n<response>\nSeven.\n</response>\n")
                        .reasoning("\nCount.\n")
                        .content("\nSeven.\n"),
                Example.of("Count.</think>\nSeven.\n").reasoning("Count.").content("\nSeven.\n"),
                Example.of("Count.</think>\n\n").reasoning("Count.").content("\n\n").endedBy(FinishReason.LENGTH),
                Example.of("a</think>Well. <response>b</response> So.\n")
                        .reasoning("a")
                        .content("Well. b So.\n"),
                Example.of("a</think><response>b</response>\n<response>c</response>")
                        .reasoning("a")
                        .content("bc"),
                Example.of("a<think>b</think>c</think>d<think>e</response> f")
                        .reasoning("ab")
                        .content("cde f"),
                Example.of("a</think> <resp").reasoning("a").content(" <resp").endedBy(FinishReason.LENGTH),
                Example.of("a</think> <response>b</resp")
                        .reasoning("a")
                        .content("b</resp")
                        .endedBy(FinishReason.LENGTH),
                Example.of("a </thi").reasoning("a </thi").endedBy(FinishReason.LENGTH),
                Example.of("Check.<tool_call>{")
                        .in(TestContext.builder()
                                .toolOpeners(List.of(new ToolOpener("<tool_call>", List.of("{"))))
                                .build())
                        .reasoning("Check.")
                        .content("<tool_call>{"),
                Example.of(" <response>Seven.</response>")
                        .in(TestContext.builder()
                                .prompt("Assistant: <think>\n</think>\n")
                                .build())
                        .content("Seven."),
                Example.of("a")
                        .in(TestContext.builder()
                                .prompt("<think>old</think>Old.</s>User: hi\nAssistant: ")
                                .build())
                        .reasoning("a"));
    }
}
