package io.glyphgate.plugin.reasoningparsers;

import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.ReasoningParserProvider;
import io.glyphgate.testkit.Example;
import io.glyphgate.testkit.ReasoningParserContract;
import io.glyphgate.testkit.TestContext;
import java.util.List;

class Holo2Test extends ReasoningParserContract {
    @Override
    protected ReasoningParserProvider provider() {
        return new Holo2();
    }

    @Override
    protected List<Example> examples() {
        return List.of(
                Example.of("<think>\nCount.\n</think>\n\nSeven.\n")
                        .reasoning("\nCount.\n")
                        .content("\n\nSeven.\n"),
                Example.of("<think><think>a</think>b").reasoning("<think>a").content("b"),
                Example.of("a</think>b").in(argument("thinking", true)).reasoning("a").content("b"),
                Example.of("a</think>b").in(argument("thinking", false)).content("a</think>b"),
                Example.of("a </th").reasoning("a </th").endedBy(FinishReason.LENGTH));
    }

    private static TestContext argument(String name, Object value) {
        return TestContext.builder().chatTemplateArgument(name, value).build();
    }
}
