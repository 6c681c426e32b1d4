package io.glyphgate.plugin.harmony;

import io.glyphgate.spi.CombinedParserProvider;
import io.glyphgate.spi.FinishReason;
import io.glyphgate.testkit.CombinedParserContract;
import io.glyphgate.testkit.Example;
import io.glyphgate.testkit.TestContext;
import java.util.List;

class HarmonyTest extends CombinedParserContract {
    private static final String THOUGHT = "<|channel|>analysis<|message|>Hm.<|end|>";
    private static final String CALL = "<|channel|>commentary to=functions.f <|constrain|>json<|message|>{\"a\": 1}";

    @Override
    protected CombinedParserProvider provider() {
        return new Harmony();
    }

    private static Example after(String prompt, String output) {
        return Example.of(output)
                .in(TestContext.builder().prompt(prompt).build());
    }

    @Override
    protected List<Example> examples() {
        return List.of(
                Example.of(THOUGHT + "<|start|>assistant<|channel|>final<|message|>Yes.<|return|>")
                        .reasoning("Hm.")
                        .content("Yes."),
                Example.of(THOUGHT + "<|start|>assistant" + CALL + "<|call|>")
                        .reasoning("Hm.")
                        .call("f", "{\"a\": 1}"),
                Example.of(CALL + "<|call|>\n<|start|>assistant" + CALL + "<|call|>")
                        .call("f", "{\"a\": 1}")
                        .call("f", "{\"a\": 1}"),
                Example.of(" to=functions.f<|channel|>commentary json<|message|>{}").call("f", "{}"),
                Example.of(THOUGHT + "<|start|>assistant to=functions.f<|channel|>analysis<|message|>{}<|call|>")
                        .reasoning("Hm.")
                        .call("f", "{}"),
                Example.of("<|channel|>commentary to=functions.f<|constrain|>json<|message|>{}").call("f", "{}"),
                Example.of("<|channel|>commentary<|message|>I look.<|end|><|start|>assistant" + CALL)
                        .content("I look.")
                        .call("f", "{\"a\": 1}"),
                Example.of(THOUGHT + "<|start|>assistant<|channel|>analysis<|message|>So.<|end|>").reasoning("Hm.So."),
                // vllm-project/vllm#32587: a marker behind the recipient is no part of the name.
                Example.of("<|channel|>analysis<|message|>need rows<|end|><|start|>assistant<|channel|>commentary"
                                + " to=functions.query_rows <|constrain|>json<|message|>{\"n\": 3}<|call|>")
                        .reasoning("need rows")
                        .call("query_rows", "{\"n\": 3}"),
                Example.of("<|channel|>analysis<|message|>need rows<|end|><|start|>assistant"
                                + " to=functions.query_rows<|channel|>commentary <|constrain|>json<|message|>"
                                + "{\"n\": 3}<|call|>")
                        .reasoning("need rows")
                        .call("query_rows", "{\"n\": 3}"),
                Example.of("<|channel|>commentary to=python code<|message|>print(3)<|call|>"),
                Example.of("<|channel|>analysis to=browser.search code<|message|>{}<|call|>")
                        .reasoning("{}"),
                Example.of("<|channel|>commentary to=f<|message|>{}<|call|>").call("f", "{}"),
                Example.of("<|channel|>commentary to=functions.f code<|message|>print(3)<|call|>")
                        .call("f", "print(3)"),
                Example.of("<|channel|>commentary to=functions.f<|message|><|call|>").call("f", ""),
                Example.of("<|channel|>commentary to=functions.f<|message|>"
                                + "{\"s\": \"<|end|>, <|call|>x <|start|>assistant<|channel|>final<|message|>\"}<|call|>")
                        .call("f", "{\"s\": \"<|end|>, <|call|>x <|start|>assistant<|channel|>final<|message|>\"}"),
                Example.of("<|channel|>final<|message|>A body ends at <|end|>, <|start|>assistant opens one.<|return|>")
                        .content("A body ends at <|end|>, <|start|>assistant opens one."),
                Example.of("<|channel|>analysis<|message|>Hm.<|start|>assistant<|channel|>final<|message|>Yes.")
                        .reasoning("Hm.")
                        .content("Yes."),
                Example.of(THOUGHT + "<|channel|>final<|message|>Yes.<|return|>")
                        .reasoning("Hm.")
                        .content("Yes."),
                Example.of(THOUGHT + "assistant<|channel|>final<|message|>Yes.<|return|>")
                        .reasoning("Hm.")
                        .content("Yes."),
                Example.of(THOUGHT + "<|end|><|start|>assistant" + CALL + "<|call|><|end|>")
                        .reasoning("Hm.")
                        .call("f", "{\"a\": 1}"),
                Example.of("<|channel|>thoughts<|message|>Hm.<|end|>").content("Hm."),
                Example.of("<|message|>Yes.<|return|>").content("Yes."),
                Example.of("No message at all, to=functions.f or not. ")
                        .content("No message at all, to=functions.f or not. "),
                Example.of(" \n ").content(" \n "),
                Example.of("to=5 <|end|>, and <|channel|> alone").content("to=5 <|end|>, and <|channel|> alone"),
                Example.of("<|channel|>analysis<|end|><|channel|>final<|message|>Yes.")
                        .content("<|channel|>analysisYes."),
                Example.of("<|channel|>" + "long ".repeat(60) + "<|message|>x")
                        .content("<|channel|>" + "long ".repeat(60) + "x"),
                Example.of(THOUGHT + " stray " + "<|start|>assistant<|channel|>final<|message|>Yes.")
                        .reasoning("Hm.<|end|> stray ")
                        .content("Yes."),
                Example.of(THOUGHT + "<|start|>assistant<|channel|>commentary to=functions.f")
                        .reasoning("Hm.")
                        .content("<|start|>assistant<|channel|>commentary to=functions.f")
                        .endedBy(FinishReason.LENGTH),
                Example.of("<|channel|>commentary to=functions.f<|message|>{\"a\": \"b")
                        .call("f", "{\"a\": \"b")
                        .endedBy(FinishReason.LENGTH),
                after("<|start|>user<|message|>Hi<|end|><|start|>assistant", THOUGHT).reasoning("Hm."),
                after("<|start|>assistant<|channel|>analysis<|message|>", "Hm.<|end|>").reasoning("Hm."),
                after("<|start|>assistant<|channel|>final<|message|>Well, " + "well, ".repeat(50), "yes.<|return|>")
                        .content("yes."),
                after("<|start|>assistant<|channel|>commentary to=functions.f<|message|>", "{}<|call|>"),
                after("<|start|>assistant to=functions.f", "<|channel|>commentary<|message|>{}").call("f", "{}"),
                after("<|end|> no message is open", "Yes.").content("Yes."));
    }
}
