package io.glyphgate.proxy.conformance;

import io.glyphgate.spi.ToolChoice;
import java.util.Map;
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

    private static final Pattern TURN = Pattern.compile("<\\|im_start\\|>|<\\|im_end\\|>|<｜User｜>|<｜Assistant｜>"
            + "|<\\|im_user\\|>|<\\|im_assistant\\|>|<\\|im_system\\|>");
    private static final Pattern JSON_OPENER = Pattern.compile("<tool_call>\\s*\\{");
    private static final Pattern TAG_OPENER = Pattern.compile("<tool_call>\\s*<function=");
    /** Families whose reasoning has no white space at its end. */
    private static final Set<String> TRIMMED = Set.of("kimi_k2");

    private static final Set<String> JSON_PARSERS = Set.of("hermes", "qwen3_json");
    private static final Set<String> TAG_PARSERS = Set.of("qwen3_coder", "qwen3_xml");

    static OutputParts of(GoldenCase golden) {
        String text = golden.text();
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
                : new OutputParts(
                        unmarked(golden, text.substring(0, close)), text.substring(close + CLOSE.length()));
    }

    private static String unmarked(GoldenCase golden, String reasoning) {
        if (ReasoningDifferences.deepSeek(golden)) {
            return reasoning.replaceFirst(OPEN, "");
        }
        String plain = reasoning.replace(OPEN, "");
        return golden.reasoningParser().filter(TRIMMED::contains).isPresent() ? plain.stripTrailing() : plain;
    }

    /** Whether a call opens before the reasoning is closed. */
    static boolean endsInCall(GoldenCase golden) {
        int call = opener(golden, golden.text());
        int close = golden.text().indexOf(CLOSE);
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
        int close = prompt.lastIndexOf(CLOSE);
        return close >= turn && close > prompt.lastIndexOf(OPEN);
    }

    /** Whether the template arguments turn reasoning off. */
    static boolean thinkingOff(GoldenCase golden) {
        Map<String, Object> arguments = golden.parseRequest().chatTemplateArguments();
        Object enabled = arguments.get("enable_thinking");
        Object thinking = arguments.get("thinking");
        return switch (golden.reasoningParser().orElse("")) {
            case "qwen3" -> Boolean.FALSE.equals(enabled);
            case "kimi_k2" -> Boolean.FALSE.equals(enabled) || Boolean.FALSE.equals(thinking);
            case "deepseek_v3" -> !Boolean.TRUE.equals(enabled) && !Boolean.TRUE.equals(thinking);
            default -> false;
        };
    }

    /** Whether the family writes calls as JSON objects. */
    static boolean jsonCalls(GoldenCase golden) {
        return golden.toolParser().filter(JSON_PARSERS::contains).isPresent();
    }

    /** Whether the family writes calls as tags. */
    static boolean taggedCalls(GoldenCase golden) {
        return golden.toolParser().filter(TAG_PARSERS::contains).isPresent();
    }

    /** Whether calls are looked for at all. */
    static boolean callsWanted(GoldenCase golden) {
        return golden.parseRequest().toolChoice().mode() != ToolChoice.Mode.NONE
                && (jsonCalls(golden) || taggedCalls(golden) || CallParts.written(golden));
    }

    /** Where the first marker stands that a call's start follows; -1 if there is none. */
    static int opener(GoldenCase golden, String text) {
        if (CallParts.written(golden)) {
            return CallParts.opener(golden, text);
        }
        Matcher opener = (jsonCalls(golden) ? JSON_OPENER : TAG_OPENER).matcher(text);
        return opener.find() ? opener.start() : -1;
    }
}
