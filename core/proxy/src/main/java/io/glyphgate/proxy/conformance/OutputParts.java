package io.glyphgate.proxy.conformance;

import io.glyphgate.spi.ToolChoice;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The output of a case with the families of the Qwen and DeepSeek markers, taken apart with the whole of it at hand.
 *
 * @param reasoning what is reasoning, without markers
 * @param rest what follows the reasoning: the input of the tool parser, or the content where there is none
 */
record OutputParts(String reasoning, String rest) {
    static final String OPEN = "<think>";
    static final String CLOSE = "</think>";
    static final String CHANNEL = "<|channel>";
    static final String CHANNEL_END = "<channel|>";

    private static final Pattern TURN = Pattern.compile("<\\|im_start\\|>|<\\|im_end\\|>|<｜User｜>|<｜Assistant｜>");
    private static final Pattern JSON_OPENER = Pattern.compile("<tool_call>\\s*\\{");
    private static final Pattern TAG_OPENER = Pattern.compile("<tool_call>\\s*<function=");
    private static final Pattern PYTHON_OPENER = Pattern.compile("<function_calls>\\s*[A-Za-z_]\\w*\\(");
    private static final Pattern KEY_OPENER = Pattern.compile("<\\|tool_call>(?:call)?:");
    private static final Set<String> JSON_PARSERS = Set.of("hermes", "qwen3_json");
    private static final Set<String> TAG_PARSERS = Set.of("qwen3_coder", "qwen3_xml", "gemma4");

    static OutputParts of(GoldenCase golden) {
        String text = golden.text();
        if (golden.reasoningParser().filter("gemma4"::equals).isPresent()) {
            return channel(golden, text);
        }
        if (golden.reasoningParser().isEmpty() || promptClosed(golden) || thinkingOff(golden)) {
            return new OutputParts("", text);
        }
        int close = text.indexOf(CLOSE);
        int call = callsWanted(golden) ? opener(golden, text) : -1;
        if (call >= 0 && (close < 0 || call < close)) {
            return new OutputParts(unmarked(golden, text.substring(0, call)), text.substring(call));
        }
        return close < 0
                ? new OutputParts(unmarked(golden, text), "")
                : new OutputParts(unmarked(golden, text.substring(0, close)), text.substring(close + CLOSE.length()));
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

    private static String unmarked(GoldenCase golden, String reasoning) {
        boolean all = golden.reasoningParser().filter("qwen3"::equals).isPresent();
        return all ? reasoning.replace(OPEN, "") : reasoning.replaceFirst(Pattern.quote(OPEN), "");
    }

    /** Whether the open turn of the prompt holds reasoning that has ended. */
    static boolean promptClosed(GoldenCase golden) {
        String prompt = golden.prompt();
        Matcher turns = TURN.matcher(prompt);
        int turn = 0;
        while (turns.find()) {
            turn = turns.end();
        }
        int close = prompt.lastIndexOf(CLOSE);
        return close >= turn && close > prompt.lastIndexOf(OPEN);
    }

    private static boolean thinkingOff(GoldenCase golden) {
        return golden.reasoningParser().filter("qwen3"::equals).isPresent()
                && Boolean.FALSE.equals(
                        golden.parseRequest().chatTemplateArguments().get("enable_thinking"));
    }

    /** Whether the family writes calls as JSON objects. */
    static boolean jsonCalls(GoldenCase golden) {
        return golden.toolParser().filter(JSON_PARSERS::contains).isPresent();
    }

    /** Whether the family writes calls as tags. */
    static boolean taggedCalls(GoldenCase golden) {
        return golden.toolParser().filter(TAG_PARSERS::contains).isPresent();
    }

    /** Whether the family writes Python calls between tags. */
    static boolean pythonCalls(GoldenCase golden) {
        return golden.toolParser().filter("olmo3"::equals).isPresent();
    }

    /** Whether calls are looked for at all. */
    static boolean callsWanted(GoldenCase golden) {
        return golden.parseRequest().toolChoice().mode() != ToolChoice.Mode.NONE
                && (jsonCalls(golden) || taggedCalls(golden) || pythonCalls(golden));
    }

    /** Where the first marker stands that a call's start follows; -1 if there is none. */
    static int opener(GoldenCase golden, String text) {
        Matcher opener = opener(golden).matcher(text);
        return opener.find() ? opener.start() : -1;
    }

    private static Pattern opener(GoldenCase golden) {
        if (jsonCalls(golden)) {
            return JSON_OPENER;
        }
        if (keyCalls(golden)) {
            return KEY_OPENER;
        }
        return pythonCalls(golden) ? PYTHON_OPENER : TAG_OPENER;
    }

    /** Whether the family writes keys and values. */
    static boolean keyCalls(GoldenCase golden) {
        return golden.toolParser().filter("gemma4"::equals).isPresent();
    }

    /** The marker that opens a call. */
    static String marker(GoldenCase golden) {
        return keyCalls(golden) ? "<|tool_call>" : "<tool_call>";
    }
}
