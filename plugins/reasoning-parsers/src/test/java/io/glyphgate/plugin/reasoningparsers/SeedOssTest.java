package io.glyphgate.plugin.reasoningparsers;

import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.ReasoningParserProvider;
import io.glyphgate.testkit.Example;
import io.glyphgate.testkit.ReasoningParserContract;
import io.glyphgate.testkit.TestContext;
import java.util.List;

class SeedOssTest extends ReasoningParserContract {
    @Override
    protected ReasoningParserProvider provider() {
        return new SeedOss();
    }

    @Override
    protected List<Example> examples() {
        return List.of(
                Example.of("<seed:think>\nCount.\n</seed:think>\n\nSeven.")
                        .reasoning("\nCount.\n")
                        .content("\n\nSeven."),
                Example.of("<think>a</think> </seed:think>b").reasoning("<think>a</think> ").content("b"),
                Example.of("<seed:think>a <seed:think>b </seed:th")
                        .reasoning("a b </seed:th")
                        .endedBy(FinishReason.LENGTH),
                Example.of("a</seed:think>b</seed:think>").reasoning("a").content("b</seed:think>"),
                Example.of("a</seed:think>b")
                        .in(TestContext.builder().chatTemplateArgument("enable_thinking", false).build())
                        .content("a</seed:think>b"),
                Example.of("a")
                        .in(TestContext.builder().prompt("<seed:bos>assistant\n<seed:think></seed:think>").build())
                        .content("a"));
    }
}
