package io.glyphgate.proxy.conformance;

import io.glyphgate.spi.ToolChoice;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The output of a case, taken apart with the whole of it at hand.
 *
 * @param reasoning what is reasoning, without markers
 * @param rest what follows the reasoning: the input of the tool parser, or the content where there is none
 */
record OutputParts(String reasoning, String rest) {
    static final String CHANNEL = "<|channel>";
    static final String CHANNEL_END = "<channel|>";

    /** The parser that leaves the reasoning in the content. */
    static final String SHOWN = "minimax_m2_append_think";

    private static final Pattern TURN = Pattern.compile("</?s>|<\\|im_start\\|>|<\\|im_end\\|>|<｜User｜>|<｜Assistant｜>"
            + "|<\\|im_user\\|>|<\\|im_assistant\\|>|<\\|im_system\\|>"
            + "|<seed:[be]os>|]~b]|\\[e~\\[|<\\|(?:system|user|assistant|observation)\\|>");

    static OutputParts of(GoldenCase golden) {
        String text = golden.text();
        if (golden.reasoningParser().filter("gemma4"::equals).isPresent()) {
            return channel(golden, text);
        }
        if (golden.reasoningParser().filter(SHOWN::equals).isPresent()) {
            return new OutputParts("", (promptClosed(golden) ? "" : "<think>") + text);
        }
        if (AnswerDifferences.marked(golden)) {
            return AnswerDifferences.parts(golden);
        }
        if (OpenedReasoningDifferences.opens(golden)) {
            return OpenedReasoningDifferences.parts(golden);
        }
        if (golden.reasoningParser().filter("mistral"::equals).isPresent()) {
            return MistralDifferences.parts(golden, text);
        }
        Thoughts thoughts = Thoughts.of(golden);
        if (golden.reasoningParser().isEmpty() || promptClosed(golden) || thoughts.off(golden)) {
            return new OutputParts("", text);
        }
        int close = text.indexOf(thoughts.close());
        int call = callsWanted(golden) ? opener(golden, text) : -1;
        if (call >= 0 && (close < 0 || call < close)) {
            return new OutputParts(thoughts.unmarked(text.substring(0, call)), text.substring(call));
        }
        return close < 0
                ? new OutputParts(thoughts.unmarked(text), "")
                : new OutputParts(
                        thoughts.unmarked(text.substring(0, close)),
                        text.substring(close + thoughts.close().length()));
    }

    private static OutputParts channel(GoldenCase golden, String text) {
        StringBuilder reasoning = new StringBuilder();
        StringBuilder rest = new StringBuilder();
        boolean promptOpen = OpenedReasoningDifferences.promptOpen(golden);
        boolean repeats = promptOpen && text.startsWith(CHANNEL);
        boolean open = promptOpen || OpenedReasoningDifferences.labelled(text);
        String left = repeats ? text.substring(CHANNEL.length()) : text;
        left = repeats || !promptOpen || golden.prompt().endsWith(CHANNEL) ? unlabelled(left) : left;
        while (!left.isEmpty()) {
            String end = open ? CHANNEL_END : CHANNEL;
            int call = open && callsWanted(golden) ? opener(golden, left) : -1;
            int marker = left.indexOf(end);
            boolean called = call >= 0 && (marker < 0 || call < marker);
            int to = called ? call : marker < 0 ? left.length() : marker;
            String piece = left.substring(0, to).replace(open ? CHANNEL : CHANNEL_END, "");
            (open ? reasoning : rest).append(open ? Space.stripTrailing(piece) : piece);
            left = left.substring(called || marker < 0 ? to : to + end.length());
            open = !open;
            left = open ? unlabelled(left) : left;
        }
        return new OutputParts(reasoning.toString(), rest.toString());
    }

    /** A channel without its label. */
    private static String unlabelled(String channel) {
        return channel.equals("thought") ? "" : channel.replaceFirst("^thought\n", "");
    }

    /** Whether a call opens before the reasoning is closed. */
    static boolean endsInCall(GoldenCase golden) {
        int call = opener(golden, golden.text());
        int close = OpenedReasoningDifferences.opens(golden)
                ? OpenedReasoningDifferences.closeAt(golden)
                : golden.text().indexOf(Thoughts.of(golden).close());
        return call >= 0 && (close < 0 || call < close);
    }

    /** Whether the open turn of the prompt holds reasoning that has ended. */
    static boolean promptClosed(GoldenCase golden) {
        String prompt = golden.prompt();
        Matcher turns = TURN.matcher(prompt);
        int turn = 0;
        while (turns.find()) {
            turn = turns.end();
        }
        Thoughts thoughts = Thoughts.of(golden);
        int close = prompt.lastIndexOf(thoughts.close());
        return close >= turn && close > prompt.lastIndexOf(thoughts.open());
    }

    /** Whether the family writes calls as tags. */
    static boolean taggedCalls(GoldenCase golden) {
        return Tags.of(golden).isPresent();
    }

    /** Whether the family writes Python calls between tags. */
    static boolean pythonCalls(GoldenCase golden) {
        return golden.toolParser().filter("olmo3"::equals).isPresent();
    }

    /** Whether the tool parser that knows an ID's marker runs. */
    static boolean mistralCalls(GoldenCase golden) {
        return golden.toolParser().filter("mistral"::equals).isPresent()
                && golden.parseRequest().toolChoice().mode() != ToolChoice.Mode.NONE;
    }

    /** Whether calls are looked for at all. */
    static boolean callsWanted(GoldenCase golden) {
        return golden.parseRequest().toolChoice().mode() != ToolChoice.Mode.NONE
                && (pythonCalls(golden) || CallParts.written(golden));
    }

    /** Where the first marker stands that a call's start follows; -1 if there is none. */
    static int opener(GoldenCase golden, String text) {
        if (CallParts.written(golden)) {
            return CallParts.opener(golden, text);
        }
        return pythonCalls(golden) ? PythonDifferences.opener(golden, text) : -1;
    }
}
