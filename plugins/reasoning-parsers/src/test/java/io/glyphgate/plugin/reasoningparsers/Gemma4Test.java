package io.glyphgate.plugin.reasoningparsers;

import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.ReasoningParserProvider;
import io.glyphgate.spi.ToolOpener;
import io.glyphgate.testkit.Example;
import io.glyphgate.testkit.ReasoningParserContract;
import io.glyphgate.testkit.TestContext;
import java.util.List;

class Gemma4Test extends ReasoningParserContract {
    private static final String TURN = "<|turn>user\nhi<turn|>\n<|turn>model\n";

    @Override
    protected ReasoningParserProvider provider() {
        return new Gemma4();
    }

    @Override
    protected List<Example> examples() {
        return List.of(
                Example.of("<|channel>thought\nCount. \n<channel|>\nSeven.")
                        .reasoning("Count.")
                        .content("\nSeven."),
                Example.of("Six.").content("Six."),
                Example.of("The tide turns at four.<turn|>").content("The tide turns at four."),
                Example.of("a<|channel>thought\nb<channel|>c<channel|> <|channel>thoughts<channel|>d")
                        .reasoning("bthoughts")
                        .content("ac d"),
                Example.of("<|channel>a <|channel>thought\nb<channel|>").reasoning("a thought\nb"),
                Example.of("<|channel>thought\n \n<channel|>Seven.").content("Seven."),
                Example.of("Count.<channel|>Seven.")
                        .in(prompt(TURN + "<|channel>thought\n"))
                        .reasoning("Count.")
                        .content("Seven."),
                Example.of("thought\nCount.<channel|>Seven.")
                        .in(prompt(TURN + "<|channel>"))
                        .reasoning("Count.")
                        .content("Seven."),
                Example.of("thought\nCount.<channel|>Seven.").reasoning("Count.").content("Seven."),
                Example.of("thought\nIt never ends").reasoning("It never ends").endedBy(FinishReason.LENGTH),
                Example.of("thought").endedBy(FinishReason.LENGTH),
                Example.of("thoughtful").content("thoughtful"),
                Example.of("A thought\n").content("A thought\n"),
                Example.of("Seven.")
                        .in(prompt(TURN + "<|channel>thought\n<channel|>"))
                        .content("Seven."),
                Example.of("<|channel>thought\nIt never ends\n<chann")
                        .reasoning("It never ends\n<chann")
                        .endedBy(FinishReason.LENGTH),
                Example.of("<|channel>thought\nI call.\n<|tool_call>call:f{}")
                        .in(TestContext.builder()
                                .toolOpeners(List.of(new ToolOpener("<|tool_call>", List.of("call:"))))
                                .build())
                        .reasoning("I call.")
                        .content("<|tool_call>call:f{}"),
                calling("<|tool_call>call:f{s:<|\"|>a <|channel>thought\nb<|\"|>}<tool_call|><|channel>thought\nHm.<channel|>c")
                        .reasoning("Hm.")
                        .content("<|tool_call>call:f{s:<|\"|>a <|channel>thought\nb<|\"|>}<tool_call|>c"),
                calling("<|channel>thought\nHm.<|tool_call>call:f{s:<|\"|><|channel><|\"|>}<tool_call|><turn|>")
                        .reasoning("Hm.")
                        .content("<|tool_call>call:f{s:<|\"|><|channel><|\"|>}<tool_call|>"),
                calling("<|tool_call>call:f{s:<|\"|>a <|channel>").content("<|tool_call>call:f{s:<|\"|>a <|channel>")
                        .endedBy(FinishReason.LENGTH));
    }

    private static Example calling(String output) {
        return Example.of(output)
                .in(TestContext.builder()
                        .toolOpeners(List.of(new ToolOpener("<|tool_call>", List.of("call:"))))
                        .build());
    }

    private static TestContext prompt(String text) {
        return TestContext.builder().prompt(text).build();
    }
}
