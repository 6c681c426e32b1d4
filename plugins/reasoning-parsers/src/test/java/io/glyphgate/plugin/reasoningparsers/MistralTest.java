package io.glyphgate.plugin.reasoningparsers;

import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.ReasoningParserProvider;
import io.glyphgate.spi.ToolOpener;
import io.glyphgate.testkit.Example;
import io.glyphgate.testkit.ReasoningParserContract;
import io.glyphgate.testkit.TestContext;
import io.glyphgate.testkit.TestTokenizer;
import java.util.List;

class MistralTest extends ReasoningParserContract {
    @Override
    protected ReasoningParserProvider provider() {
        return new Mistral();
    }

    @Override
    protected List<Example> examples() {
        return List.of(
                Example.of("[THINK]\nCount. \n[/THINK]\n\nSeven.")
                        .reasoning("\nCount.")
                        .content("\n\nSeven."),
                Example.of("Six.").content("Six."),
                Example.of("Six.[/THINK]").content("Six."),
                Example.of("a[THINK]b[/THINK]c[/THINK] [THINK] d \n[/THINK]e")
                        .reasoning("b d")
                        .content("ac e"),
                Example.of("[THINK]a [THINK]b[/THINK] c[/THINK] d").reasoning("a b").content(" c d"),
                Example.of("[THINK] \n[/THINK]Seven.").content("Seven."),
                Example.of("Count.[/THINK]Seven.")
                        .in(TestContext.builder().prompt("[INST]hi[/INST][THINK]").build())
                        .content("Count.Seven."),
                Example.of("[THINK]a[/THINK]<think>b</think>")
                        .in(vocabulary("[ARGS]", "[THINK]"))
                        .reasoning("a")
                        .content("<think>b</think>"),
                Example.of("<think>\na\n</think>\nb[THINK]")
                        .in(vocabulary("[ARGS]"))
                        .reasoning("\na")
                        .content("\nb[THINK]"),
                Example.of("<think>a</think>[THINK]b")
                        .in(vocabulary("[TOOL_CALLS]"))
                        .content("<think>a</think>[THINK]b"),
                Example.of("[THINK]It never ends\n[/THIN")
                        .reasoning("It never ends\n[/THIN")
                        .endedBy(FinishReason.LENGTH),
                Example.of("[THINK]The marker is [TOOL_CALLS] and\n[TOOL_CALLS]f[ARGS]{\"a\": \"[THINK][/THINK]\"}")
                        .in(calls())
                        .reasoning("The marker is [TOOL_CALLS] and")
                        .content("[TOOL_CALLS]f[ARGS]{\"a\": \"[THINK][/THINK]\"}"),
                Example.of("[THINK]So.[/THINK]\n[TOOL_CALLS][{\"name\": \"g\", \"arguments\": \"[/THINK]\"}]")
                        .in(calls())
                        .reasoning("So.")
                        .content("\n[TOOL_CALLS][{\"name\": \"g\", \"arguments\": \"[/THINK]\"}]"));
    }

    private static TestContext vocabulary(String... specials) {
        return TestContext.builder().tokenizer(new TestTokenizer(specials)).build();
    }

    private static TestContext calls() {
        return TestContext.builder()
                .toolOpeners(List.of(
                        new ToolOpener("[TOOL_CALLS]", List.of("[{")),
                        new ToolOpener("[TOOL_CALLS]", List.of("f[ARGS]"))))
                .build();
    }
}
