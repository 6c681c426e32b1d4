package io.glyphgate.proxy.conformance;

import io.glyphgate.proxy.conformance.DifferenceRules.Difference;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** Where a family that marks the answer beside the reasoning differs from vLLM's batch answer. */
final class AnswerDifferences {
    private static final Set<String> MARKERS = Set.of("<think>", "</think>", "<response>", "</response>");
    private static final Pattern MARKER = Pattern.compile("</?(?:think|response)>");
    private static final Pattern BEFORE = Space.pattern("^\\s*<response>");
    private static final Pattern BEHIND = Space.pattern("(?<=</response>)\\s*(?=$|<response>)");

    private static final Pattern TIGHT =
            Space.pattern("(?s)^(?:<think>)?.*</think>\\s*<response>.*</response>\\s*$");

    static final String FOLLOW = "Special tokens that are no markers follow the request";
    static final String AROUND = "Text around the answer is content (ernie45, hunyuan_a13b)";

    static final List<Rule> ALL = List.of(
            new Difference(
                    "D33",
                    FOLLOW,
                    golden -> !golden.text().equals(golden.recordedText()) && CallParts.written(golden),
                    ReasoningDifferences::parted),
            new Difference(
                    "D30",
                    "Markers count where the text leaves special tokens out (ernie45)",
                    golden -> marked(golden) && !written(golden).equals(golden.text()),
                    AnswerDifferences::parted),
            new Difference(
                    "D31",
                    "Markers that mark nothing are dropped (ernie45)",
                    golden -> marked(golden) && idle(golden),
                    AnswerDifferences::parted),
            new Difference(
                    "D32",
                    AROUND,
                    golden -> marked(golden)
                            && written(golden).contains("<response>")
                            && !TIGHT.matcher(written(golden)).matches(),
                    AnswerDifferences::parted),
            new Difference(
                    "D2",
                    ReasoningDifferences.BEFORE_OPENING,
                    golden -> marked(golden)
                            && !OutputParts.promptClosed(golden)
                            && written(golden).indexOf("<think>") > 0,
                    AnswerDifferences::parted));

    private AnswerDifferences() {}

    /** Whether the family marks the answer. */
    static boolean marked(GoldenCase golden) {
        return golden.reasoningParser().filter("ernie45"::equals).isPresent();
    }

    /** The output taken apart. */
    static OutputParts parts(GoldenCase golden) {
        String text = written(golden);
        int close = OutputParts.promptClosed(golden) ? 0 : text.indexOf("</think>");
        if (close < 0) {
            return new OutputParts(text.replace("<think>", ""), "");
        }
        return new OutputParts(text.substring(0, close).replace("<think>", ""), bare(text.substring(close)));
    }

    private static String bare(String rest) {
        String behind = rest.replaceFirst("^</think>", "");
        String opened = BEFORE.matcher(behind).replaceFirst("<response>");
        return MARKER.matcher(BEHIND.matcher(opened).replaceAll("")).replaceAll("");
    }

    private static String written(GoldenCase golden) {
        return WrittenText.of(golden, MARKERS);
    }

    private static Answer parted(GoldenCase golden, Answer answer) {
        OutputParts parts = OutputParts.of(golden);
        return ReasoningDifferences.shown(golden, answer, parts.reasoning()).withContent(parts.rest());
    }

    /** Whether more markers stand in the output than mark reasoning and answer once, or one without the other. */
    private static boolean idle(GoldenCase golden) {
        String text = written(golden);
        return text.indexOf("<think>") != text.lastIndexOf("<think>")
                || text.indexOf("</think>") != text.lastIndexOf("</think>")
                || text.indexOf("<response>") != text.lastIndexOf("<response>")
                || text.indexOf("</response>") != text.lastIndexOf("</response>")
                || text.contains("<response>") != text.contains("</response>");
    }
}
