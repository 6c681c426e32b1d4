package io.glyphgate.plugin.reasoningparsers;

import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.ReasoningParserProvider;
import io.glyphgate.testkit.Example;
import io.glyphgate.testkit.ReasoningParserContract;
import java.util.List;

class HunyuanA13bTest extends ReasoningParserContract {
    @Override
    protected ReasoningParserProvider provider() {
        return new HunyuanA13b();
    }

    @Override
    protected List<Example> examples() {
        return List.of(
                Example.of("<think>\nCount.\n</think>\n<answer>\nSeven.\n</answer>")
                        .reasoning("Count.")
                        .content("Seven."),
                Example.of("<think>\n\n</think>\n<answer>\nSeven.").content("Seven."),
                Example.of("<think>\na </think> b\n</think>\n<answer>\n<think>\nc\n</think>")
                        .reasoning("a </think> b")
                        .content("<think>\nc\n</think>"),
                Example.of("No thought.\n</answer>").content("No thought."),
                Example.of("<think>No line</think>").content("<think>No line</think>"),
                Example.of("<think>\nIt never ends\n</think>\n<ans")
                        .reasoning("It never ends\n</think>\n<ans")
                        .endedBy(FinishReason.LENGTH));
    }
}
