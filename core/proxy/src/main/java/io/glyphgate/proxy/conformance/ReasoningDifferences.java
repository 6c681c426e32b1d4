package io.glyphgate.proxy.conformance;

import io.glyphgate.proxy.conformance.DifferenceRules.Difference;
import java.util.List;
import java.util.Set;

/** Where reasoning differs from vLLM's batch answer. */
final class ReasoningDifferences {
    static final String PROMPT_DECIDES = "The prompt decides whether the output starts in reasoning";

    static final String BLOCK_ENDS = "White space at the end of each block of reasoning is dropped (mistral, gemma4)";

    static final String BEFORE_OPENING =
            "Text before the opening marker is reasoning (deepseek_r1, deepseek_v3, ernie45)";

    private static final Set<String> DEEPSEEK = Set.of("deepseek_r1", "deepseek_v3");

    static final List<Rule> ALL = List.of(
            new Difference(
                    "D1",
                    PROMPT_DECIDES,
                    golden -> (deepSeek(golden)
                                    || uses(golden, "minimax_m2")
                                    || uses(golden, OutputParts.SHOWN)
                                    || uses(golden, "step3")
                                    || uses(golden, "olmo3")
                                    || AnswerDifferences.marked(golden))
                            && OutputParts.promptClosed(golden),
                    (golden, answer) -> CallPartsDifferences.read(golden, answer.withReasoning(""))),
            new Difference(
                    "D2",
                    BEFORE_OPENING,
                    golden -> deepSeek(golden) && !OutputParts.promptClosed(golden) && openAt(golden) > 0,
                    ReasoningDifferences::parted),
            new Difference(
                    "D3",
                    "After the reasoning its markers are text",
                    golden -> (Thoughts.engine(golden) || deepSeek(golden))
                            && !uses(golden, "gemma4")
                            && Thoughts.of(golden).marked(OutputParts.of(golden).rest()),
                    ReasoningDifferences::parted),
            new Difference(
                    "D20",
                    "Reasoning stays reasoning where there is no content (nemotron_v3)",
                    golden -> uses(golden, "nemotron_v3")
                            && (Thoughts.of(golden).off(golden)
                                    || Boolean.TRUE.equals(golden.parseRequest()
                                            .chatTemplateArguments()
                                            .get("force_nonempty_content")))
                            && Space.blank(OutputParts.of(golden).rest()),
                    ReasoningDifferences::parted),
            new Difference(
                    "D66",
                    "Reasoning that does not end stays reasoning (olmo3, granite, hunyuan_a13b)",
                    golden -> OpenedReasoningDifferences.unclosed(golden)
                            || (uses(golden, "olmo3")
                                    && !OutputParts.promptClosed(golden)
                                    && !golden.text().contains(Thoughts.of(golden).close())),
                    ReasoningDifferences::parted),
            new Difference(
                    "D67",
                    "The first opening marker is one wherever it stands (olmo3)",
                    golden -> uses(golden, "olmo3") && !OutputParts.promptClosed(golden) && openAt(golden) > 0,
                    ReasoningDifferences::parted));

    private ReasoningDifferences() {}

    /** The answer that has the reasoning and reads what follows it. */
    static Answer parted(GoldenCase golden, Answer answer) {
        return CallPartsDifferences.read(
                golden, shown(golden, answer, OutputParts.of(golden).reasoning()));
    }

    /** Whether the case is one of DeepSeek's reasoning, which only its first marker opens. */
    static boolean deepSeek(GoldenCase golden) {
        return golden.reasoningParser().filter(DEEPSEEK::contains).isPresent()
                && !Thoughts.of(golden).off(golden);
    }

    private static boolean uses(GoldenCase golden, String parser) {
        return golden.reasoningParser().filter(parser::equals).isPresent();
    }

    /** Where the marker that opens the reasoning stands; -1 if none does. */
    private static int openAt(GoldenCase golden) {
        String text = golden.text();
        int open = text.indexOf(Thoughts.of(golden).open());
        int close = text.indexOf(Thoughts.of(golden).close());
        return close >= 0 && open > close ? -1 : open;
    }

    /** An answer with other reasoning, if the client wants any. */
    static Answer shown(GoldenCase golden, Answer answer, String reasoning) {
        return golden.parseRequest().includeReasoning() ? answer.withReasoning(reasoning) : answer;
    }
}
