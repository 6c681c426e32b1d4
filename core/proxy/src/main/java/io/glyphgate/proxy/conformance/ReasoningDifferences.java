package io.glyphgate.proxy.conformance;

import io.glyphgate.proxy.conformance.DifferenceRules.Difference;
import java.util.List;

/** Where reasoning differs from vLLM's batch answer. */
final class ReasoningDifferences {
    static final List<Rule> ALL = List.of(
            new Difference(
                    "D1",
                    "The prompt decides whether the output starts in reasoning (deepseek_r1, olmo3)",
                    golden -> (deepSeek(golden) || olmo(golden)) && OutputParts.promptClosed(golden),
                    (golden, answer) -> answer.withReasoning("").withContent(golden.text())),
            new Difference(
                    "D2",
                    "Text before the opening marker is reasoning (deepseek_r1)",
                    golden -> deepSeek(golden) && !OutputParts.promptClosed(golden) && openAt(golden) > 0,
                    (golden, answer) ->
                            shown(golden, answer, golden.text().substring(0, openAt(golden)) + answer.reasoning())),
            new Difference(
                    "D3",
                    "After the reasoning its end marker is text (qwen3)",
                    golden -> golden.reasoningParser().filter("qwen3"::equals).isPresent()
                            && OutputParts.of(golden).rest().contains(OutputParts.CLOSE)
                            && OutputParts.opener(golden, golden.text()) < 0,
                    (golden, answer) ->
                            answer.withContent(OutputParts.of(golden).rest())),
            new Difference(
                    "D66",
                    "Reasoning that does not end stays reasoning (olmo3, granite, hunyuan_a13b)",
                    golden -> OpenedReasoningDifferences.unclosed(golden)
                            || (olmo(golden)
                                    && !OutputParts.promptClosed(golden)
                                    && !golden.text().contains(OutputParts.CLOSE)),
                    (golden, answer) -> OpenedReasoningDifferences.unclosed(golden)
                            ? shown(golden, answer, OpenedReasoningDifferences.opened(golden))
                                    .withContent("")
                            : parted(golden, answer)),
            new Difference(
                    "D67",
                    "The first opening marker is one wherever it stands (olmo3)",
                    golden -> olmo(golden) && !OutputParts.promptClosed(golden) && openAt(golden) > 0,
                    ReasoningDifferences::parted));

    private ReasoningDifferences() {}

    private static Answer parted(GoldenCase golden, Answer answer) {
        OutputParts parts = OutputParts.of(golden);
        return shown(golden, answer, parts.reasoning()).withContent(parts.rest());
    }

    private static boolean olmo(GoldenCase golden) {
        return golden.reasoningParser().filter("olmo3"::equals).isPresent();
    }

    private static boolean deepSeek(GoldenCase golden) {
        return golden.reasoningParser().filter("deepseek_r1"::equals).isPresent();
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
