package io.glyphgate.proxy.conformance;

import io.glyphgate.proxy.conformance.DifferenceRules.Difference;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Where reasoning that a marker opens differs from vLLM's batch answer. */
final class OpenedReasoningDifferences {
    private static final Pattern PHRASE = Pattern.compile("Here(?: is|'s) my thought process:");
    private static final Pattern RESPONSE = Pattern.compile("Here(?: is|'s) my response:");
    private static final Pattern THINK = Pattern.compile("<think>\n");
    private static final Pattern ANSWER = Pattern.compile("\n</think>\n<answer>\n");
    private static final String CHANNEL = OutputParts.CHANNEL;
    private static final String CHANNEL_END = OutputParts.CHANNEL_END;
    private static final Pattern LATER_CHANNEL = Pattern.compile("(?s)<channel\\|>.*<\\|channel>thought\\n");
    /** What would be a label if a newline followed. */
    private static final Pattern WORD = Pattern.compile("<\\|channel>thought(?!\\n)");

    static final List<Rule> ALL = List.of(
            new Difference(
                    "D68",
                    "The opening phrase counts only at the start of the output (granite)",
                    golden -> is(golden, "granite")
                            && !PHRASE.matcher(golden.text()).lookingAt()
                            && PHRASE.matcher(golden.text()).find(),
                    (golden, answer) -> answer.withReasoning("").withContent(golden.text())),
            new Difference(
                    "D69",
                    "The prompt may have opened the reasoning (gemma4)",
                    golden -> is(golden, "gemma4") && promptOpen(golden),
                    ReasoningDifferences::parted),
            new Difference(
                    "D70",
                    "The end marker of a channel makes no reasoning of the text before it (gemma4)",
                    golden -> is(golden, "gemma4")
                            && !promptOpen(golden)
                            && golden.text().indexOf(CHANNEL_END) >= 0
                            && !golden.text()
                                    .substring(0, golden.text().indexOf(CHANNEL_END))
                                    .contains(CHANNEL),
                    ReasoningDifferences::parted),
            new Difference(
                    "D71",
                    "The label of a channel is dropped each time (gemma4)",
                    golden -> is(golden, "gemma4")
                            && (LATER_CHANNEL.matcher(golden.text()).find()
                                    || WORD.matcher(golden.text()).find()),
                    ReasoningDifferences::parted));

    private OpenedReasoningDifferences() {}

    private static boolean is(GoldenCase golden, String parser) {
        return golden.reasoningParser().filter(parser::equals).isPresent();
    }

    /** Whether the open turn of the prompt has opened a channel. */
    static boolean promptOpen(GoldenCase golden) {
        String prompt = golden.prompt();
        int open = prompt.lastIndexOf(CHANNEL);
        return open > Math.max(prompt.lastIndexOf(CHANNEL_END), prompt.lastIndexOf("turn"));
    }

    /** Whether the output opens reasoning between phrases or tags, and does not end it. */
    static boolean unclosed(GoldenCase golden) {
        return (is(golden, "granite") && unclosed(golden.text(), PHRASE, RESPONSE))
                || (is(golden, "hunyuan_a13b") && unclosed(golden.text(), THINK, ANSWER));
    }

    private static boolean unclosed(String text, Pattern open, Pattern close) {
        return open.matcher(text).lookingAt() && !close.matcher(text).find();
    }

    /** The output behind the marker that opens it. */
    static String opened(GoldenCase golden) {
        Matcher open = (is(golden, "granite") ? PHRASE : THINK).matcher(golden.text());
        return open.lookingAt() ? golden.text().substring(open.end()) : "";
    }
}
