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
    private static final String ANSWER_END = "\n</answer>";
    private static final String CHANNEL = OutputParts.CHANNEL;
    private static final String CHANNEL_END = OutputParts.CHANNEL_END;
    private static final String LABEL = "thought\n";
    private static final Pattern LATER_CHANNEL = Pattern.compile("(?s)<channel\\|>.*<\\|channel>thought\\n");
    /** What would be a label if a newline followed. */
    private static final Pattern WORD = Pattern.compile("<\\|channel>thought(?!\\n)");

    private static final Pattern SPACE_BETWEEN_CHANNELS = Space.pattern("(?s)\\s<channel\\|>.*<\\|channel>");

    static final List<Rule> ALL = List.of(
            new Difference(
                    "D68",
                    "What opens reasoning counts only at the start of the output (granite, hunyuan_a13b)",
                    golden -> opens(golden)
                            && !open(golden).lookingAt()
                            && open(golden).find(),
                    ReasoningDifferences::parted),
            new Difference(
                    "D32",
                    AnswerDifferences.AROUND,
                    golden -> is(golden, "hunyuan_a13b") && golden.text().contains(ANSWER_END),
                    ReasoningDifferences::parted),
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
                            && !labelled(golden.text())
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
                    ReasoningDifferences::parted),
            new Difference(
                    "D95",
                    ReasoningDifferences.BLOCK_ENDS,
                    golden -> is(golden, "gemma4")
                            && SPACE_BETWEEN_CHANNELS.matcher(golden.text()).find(),
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

    /** Whether the label of a channel starts a text. */
    static boolean labelled(String text) {
        return text.startsWith(LABEL) || text.equals(Space.strip(LABEL));
    }

    /** Whether reasoning stands between phrases or tags, of which the first must start the output. */
    static boolean opens(GoldenCase golden) {
        return is(golden, "granite") || is(golden, "hunyuan_a13b");
    }

    /** Whether the output opens such reasoning, and does not end it. */
    static boolean unclosed(GoldenCase golden) {
        return opens(golden) && open(golden).lookingAt() && !close(golden).find() && !endsInCall(golden);
    }

    /** Whether a call ends such reasoning. */
    static boolean endsInCall(GoldenCase golden) {
        return opens(golden)
                && open(golden).lookingAt()
                && OutputParts.callsWanted(golden)
                && OutputParts.endsInCall(golden);
    }

    /** Where such reasoning is closed; -1 if it is not. */
    static int closeAt(GoldenCase golden) {
        Matcher close = close(golden);
        return close.find() ? close.start() : -1;
    }

    /** The output taken apart. */
    static OutputParts parts(GoldenCase golden) {
        String text = golden.text();
        Matcher open = open(golden);
        if (!open.lookingAt()) {
            return new OutputParts("", rest(golden, 0));
        }
        Matcher close = close(golden);
        if (endsInCall(golden)) {
            int call = OutputParts.opener(golden, text);
            return new OutputParts(text.substring(open.end(), call), rest(golden, call));
        }
        return close.find()
                ? new OutputParts(text.substring(open.end(), close.start()), rest(golden, close.end()))
                : new OutputParts(text.substring(open.end()), "");
    }

    private static String rest(GoldenCase golden, int from) {
        String rest = golden.text().substring(from);
        return is(golden, "granite") ? rest : rest.replace(ANSWER_END, "");
    }

    private static Matcher open(GoldenCase golden) {
        return (is(golden, "granite") ? PHRASE : THINK).matcher(golden.text());
    }

    private static Matcher close(GoldenCase golden) {
        return (is(golden, "granite") ? RESPONSE : ANSWER).matcher(golden.text());
    }
}
