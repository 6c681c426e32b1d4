package io.glyphgate.proxy.conformance;

import io.glyphgate.proxy.conformance.DifferenceRules.Difference;
import java.util.List;
import java.util.Set;

/** Where reasoning differs from vLLM's batch answer. */
final class ReasoningDifferences {
    static final String PROMPT_DECIDES = "The prompt decides whether the output starts in reasoning";

    private static final Set<String> DEEPSEEK = Set.of("deepseek_r1", "deepseek_v3");

    /** Families whose batch parser drops an end marker in the content. */
    private static final Set<String> DROPS_CLOSE = Set.of("qwen3", "kimi_k2");

    static final List<Rule> ALL = List.of(
            new Difference(
                    "D1",
                    PROMPT_DECIDES,
                    golden -> deepSeek(golden) && OutputParts.promptClosed(golden),
                    (golden, answer) -> answer.withReasoning("").withContent(golden.text())),
            new Difference(
                    "D2",
                    "Text before the opening marker is reasoning (deepseek_r1, deepseek_v3)",
                    golden -> deepSeek(golden) && !OutputParts.promptClosed(golden) && openAt(golden) > 0,
                    (golden, answer) ->
                            shown(golden, answer, golden.text().substring(0, openAt(golden)) + answer.reasoning())),
            new Difference(
                    "D3",
                    "After the reasoning its end marker is text (qwen3, kimi_k2)",
                    golden -> golden.reasoningParser().filter(DROPS_CLOSE::contains).isPresent()
                            && OutputParts.of(golden).rest().contains(OutputParts.CLOSE)
                            && OutputParts.opener(golden, golden.text()) < 0,
                    (golden, answer) ->
                            answer.withContent(OutputParts.of(golden).rest())));

    private ReasoningDifferences() {}

    /** Whether the case is one of DeepSeek's reasoning, which only its first marker opens. */
    static boolean deepSeek(GoldenCase golden) {
        return golden.reasoningParser().filter(DEEPSEEK::contains).isPresent() && !OutputParts.thinkingOff(golden);
    }

    /** Where the marker that opens the reasoning stands; -1 if none does. */
    private static int openAt(GoldenCase golden) {
        String text = golden.text();
        int open = text.indexOf(OutputParts.OPEN);
        int close = text.indexOf(OutputParts.CLOSE);
        return close >= 0 && open > close ? -1 : open;
    }

    /** An answer with other reasoning, if the client wants any. */
    static Answer shown(GoldenCase golden, Answer answer, String reasoning) {
        return golden.parseRequest().includeReasoning() ? answer.withReasoning(reasoning) : answer;
    }
}
