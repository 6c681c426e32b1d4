package io.glyphgate.plugin.reasoningparsers;

import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.ReasoningParserProvider;
import io.glyphgate.spi.ToolOpener;
import io.glyphgate.testkit.Example;
import io.glyphgate.testkit.ReasoningParserContract;
import io.glyphgate.testkit.TestContext;
import io.glyphgate.testkit.TestTokenizer;
import java.util.List;

class Qwen3Test extends ReasoningParserContract {
    private static final String TURN = "<|im_start|>user\nhi</think><|im_end|>\n<|im_start|>assistant\n";
    private static final TestContext CALLS = TestContext.builder()
            .toolOpeners(List.of(
                    new ToolOpener("<tool_call>", List.of("{", "<function=")),
                    new ToolOpener("<tool_call|", List.of())))
            .build();

    @Override
    protected ReasoningParserProvider provider() {
        return new Qwen3();
    }

    @Override
    protected List<Example> examples() {
        return List.of(
                Example.of("<think>\nShort.\n</think>\n\nYes.")
                        .reasoning("\nShort.\n")
                        .content("\n\nYes."),
                Example.of("No marker opens it.</think>Yes.")
                        .reasoning("No marker opens it.")
                        .content("Yes."),
                Example.of("It never ends").reasoning("It never ends"),
                Example.of("<think>It never ends </thin")
                        .reasoning("It never ends </thin")
                        .endedBy(FinishReason.LENGTH),
                Example.of("<think><think>a <think>b</think></think> <think>c")
                        .reasoning("a b")
                        .content("</think> <think>c"),
                Example.of("a <thin> </thinker> < / <</think><th>")
                        .reasoning("a <thin> </thinker> < / <")
                        .content("<th>"),
                Example.of("</think>").in(prompt(TURN)),
                Example.of("thought</think>ok")
                        .in(prompt(TURN))
                        .reasoning("thought")
                        .content("ok"),
                Example.of("thought</think>ok")
                        .in(prompt(TURN + "<think>\n"))
                        .reasoning("thought")
                        .content("ok"),
                Example.of("said</think>ok")
                        .in(prompt(TURN + "<think>\n\n</think>\n\n"))
                        .content("said</think>ok"),
                Example.of(" goes on")
                        .in(prompt(TURN + "<think>a</think>" + "it ".repeat(200)))
                        .content(" goes on"),
                Example.of("<think>x</think>y")
                        .in(TestContext.builder()
                                .chatTemplateArgument("enable_thinking", false)
                                .build())
                        .content("<think>x</think>y"),
                Example.of("x</think>y")
                        .in(TestContext.builder()
                                .chatTemplateArgument("enable_thinking", true)
                                .build())
                        .reasoning("x")
                        .content("y"),
                Example.of("I call.\n<tool_call>\n{\"name\": \"f</think>\"}")
                        .in(CALLS)
                        .reasoning("I call.\n")
                        .content("<tool_call>\n{\"name\": \"f</think>\"}"),
                Example.of("A <tool_call> is <tool_call>\n<func</think>x")
                        .in(CALLS)
                        .reasoning("A <tool_call> is <tool_call>\n<func")
                        .content("x"),
                Example.of("Now <tool_call|>x").in(CALLS).reasoning("Now ").content("<tool_call|>x"));
    }

    private static TestContext prompt(String text) {
        return TestContext.builder()
                .tokenizer(new TestTokenizer("<|im_start|>", "<|im_end|>", "<think>", "</think>"))
                .prompt(text)
                .build();
    }
}
