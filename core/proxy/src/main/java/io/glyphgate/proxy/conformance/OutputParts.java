package io.glyphgate.proxy.conformance;

import io.glyphgate.spi.ToolChoice;
import java.util.Map;
import java.util.Set;
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

    private static final Pattern TURN = Pattern.compile("<\\|im_start\\|>|<\\|im_end\\|>|<｜User｜>|<｜Assistant｜>"
            + "|<\\|im_user\\|>|<\\|im_assistant\\|>|<\\|im_system\\|>"
            + "|<seed:[be]os>|]~b]|\\[e~\\[|<\\|(?:system|user|assistant|observation)\\|>");
    private static final Pattern JSON_OPENER = Pattern.compile("<tool_call>\\s*\\{");
    private static final Pattern PYTHON_OPENER = Pattern.compile("<function_calls>\\s*[A-Za-z_]\\w*\\(");
    private static final Set<String> JSON_PARSERS = Set.of("hermes", "qwen3_json");

    static OutputParts of(GoldenCase golden) {
        String text = golden.text();
        if (golden.reasoningParser().filter("gemma4"::equals).isPresent()) {
            return channel(golden, text);
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
        boolean open = OpenedReasoningDifferences.promptOpen(golden);
        int marker = open ? 0 : text.indexOf(CHANNEL);
        if (marker < 0) {
            return new OutputParts("", text.replace(CHANNEL_END, ""));
        }
        String before = text.substring(0, marker);
        String inside = text.substring(marker).replaceFirst("^<\\|channel>(?:thought\n)?", "");
        int close = inside.indexOf(CHANNEL_END);
        int call = callsWanted(golden) ? opener(golden, inside) : -1;
        int end = call >= 0 && (close < 0 || call < close) ? call : close;
        String rest = end < 0 ? "" : inside.substring(end).replace(CHANNEL_END, "");
        return new OutputParts(
                inside.substring(0, end < 0 ? inside.length() : end).stripTrailing(), before + rest);
    }

    /** Whether a call opens before the reasoning is closed. */
    static boolean endsInCall(GoldenCase golden) {
        int call = opener(golden, golden.text());
        int close = golden.text().indexOf(Thoughts.of(golden).close());
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

    /** Whether the family writes calls as JSON objects. */
    static boolean jsonCalls(GoldenCase golden) {
        return golden.toolParser().filter(JSON_PARSERS::contains).isPresent();
    }

    /** Whether the family writes calls as tags. */
    static boolean taggedCalls(GoldenCase golden) {
        return Tags.of(golden).isPresent();
    }

    /** Whether the family writes Python calls between tags. */
    static boolean pythonCalls(GoldenCase golden) {
        return golden.toolParser().filter("olmo3"::equals).isPresent();
    }

    /** Whether calls are looked for at all. */
    static boolean callsWanted(GoldenCase golden) {
        return golden.parseRequest().toolChoice().mode() != ToolChoice.Mode.NONE
                && (jsonCalls(golden) || taggedCalls(golden) || pythonCalls(golden) || CallParts.written(golden));
    }

    /** Where the first marker stands that a call's start follows; -1 if there is none. */
    static int opener(GoldenCase golden, String text) {
        if (CallParts.written(golden)) {
            return CallParts.opener(golden, text);
        }
        Matcher opener = opener(golden, text, Tags.of(golden).orElse(Tags.usual()));
        return opener.find() ? opener.start() : -1;
    }

    private static Matcher opener(GoldenCase golden, String text, Tags tags) {
        if (jsonCalls(golden)) {
            return JSON_OPENER.matcher(text);
        }
        return pythonCalls(golden) ? PYTHON_OPENER.matcher(text) : tags.openers(golden, text);
    }
}
