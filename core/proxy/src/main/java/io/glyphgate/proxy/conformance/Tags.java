package io.glyphgate.proxy.conformance;

import io.glyphgate.spi.Tool;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * How a family writes calls with tags, for rules that look at the whole output. {@code NAMES} in a pattern stands for
 * the functions that the request offers.
 *
 * @param parsers the names of its tool parser
 * @param marker the marker that opens a group, or a call where there are no groups
 * @param opener a marker with what must follow it to count
 * @param call the start of a call, grouped or not, with its name as the first group
 * @param block a complete call with its part of the group around it
 * @param value a complete parameter: name and value
 * @param openValue the last parameter of an output that ends in its value: name and text so far
 * @param valueClose what ends a value
 * @param callClose what ends a call
 * @param groupClose what ends a group; empty where there are no groups
 * @param ownLines whether the newlines around a value belong to its tags
 */
record Tags(
        Set<String> parsers,
        String marker,
        String opener,
        String call,
        String block,
        Pattern value,
        Pattern openValue,
        String valueClose,
        String callClose,
        String groupClose,
        boolean ownLines) {
    private static final Pattern NAME_SO_FAR = Pattern.compile("\\s*[\"']?[\\w.-]*\"?(?:</?[a-z_]*)?");
    private static final String NEVER = "(?!)";
    private static final String STEP3_CALL =
            "<｜tool_call_begin｜>function<｜tool_sep｜>\\s*<steptml:invoke name=\"([^\"]*)\">";
    private static final Tags QWEN = qwen(Set.of("qwen3_coder", "qwen3_xml", "step3p5"), "tool_call");

    private static final List<Tags> ALL = List.of(
            QWEN,
            qwen(Set.of("seed_oss"), "seed:tool_call"),
            new Tags(
                    Set.of("glm45", "glm47"),
                    "<tool_call>",
                    "<tool_call>\\s*(?:NAMES)(?:\\n|<arg_key>|</tool_call>)",
                    "<tool_call>\\s*(NAMES)(?:\\s*(?=<arg_key>|</tool_call>|<tool_call>)|(?=[ \\t]*\\n))",
                    "(?s)<tool_call>[^<]*(?:<arg_key>.*?</arg_key>\\s*<arg_value>.*?</arg_value>\\s*)*</tool_call>",
                    Pattern.compile("(?s)<arg_key>(.*?)</arg_key>\\s*<arg_value>(.*?)</arg_value>"),
                    Pattern.compile("(?s)<arg_key>([^<]*)</arg_key>\\s*<arg_value>((?:(?!</arg_value>).)*)$"),
                    "</arg_value>",
                    "</tool_call>",
                    "",
                    false),
            new Tags(
                    Set.of("step3"),
                    "<｜tool_calls_begin｜>",
                    "<｜tool_calls_begin｜>\\s*" + STEP3_CALL,
                    "(?:<｜tool_calls_begin｜>\\s*)?" + STEP3_CALL,
                    "(?s)(?:<｜tool_calls_begin｜>\\s*)?" + STEP3_CALL
                            + "(?:\\s*<steptml:parameter name=\"[^\"]*\">.*?</steptml:parameter>)*\\s*</steptml:invoke>"
                            + "(?:\\s*<｜tool_call_end｜>)?(?:\\s*<｜tool_calls_end｜>)?",
                    Pattern.compile(
                            "(?s)<steptml:parameter name=\"([^\"]*)\">\\s*(.*?)\\s*</steptml:parameter>"),
                    Pattern.compile(
                            "(?s)<steptml:parameter name=\"([^\"]*)\">\\s*((?:(?!</steptml:parameter>).)*?)\\s*$"),
                    "</steptml:parameter>",
                    "</steptml:invoke>",
                    "<｜tool_calls_end｜>",
                    false),
            new Tags(
                    Set.of("gemma4"),
                    "<|tool_call>",
                    "<\\|tool_call>(?:call)?:",
                    NEVER,
                    "(?s)<\\|tool_call>(?:call)?:.*?<tool_call\\|>",
                    Pattern.compile(NEVER),
                    Pattern.compile(NEVER),
                    "",
                    "<tool_call|>",
                    "",
                    false),
            named(
                    "minimax_m2",
                    "<minimax:tool_call>",
                    "</minimax:tool_call>",
                    "<invoke name=[\"']?(NAMES)[\"']?>",
                    "</invoke>",
                    "<parameter name=[\"']?([^\"'>]*)[\"']?>",
                    "</parameter>"),
            named(
                    "deepseek_v32",
                    "<｜DSML｜function_calls>",
                    "</｜DSML｜function_calls>",
                    "<｜DSML｜invoke name=\"([^\"]*)\">",
                    "</｜DSML｜invoke>",
                    "<｜DSML｜parameter name=\"([^\"]*)\"[^>]*>",
                    "</｜DSML｜parameter>"));

    private static Tags qwen(Set<String> parsers, String group) {
        return new Tags(
                parsers,
                "<" + group + ">",
                "<" + group + ">\\s*<function=",
                "<function=(NAMES)>",
                "(?s)(?:<" + group + ">\\s*)?<function=.*?</function>(?:\\s*</" + group + ">)?",
                Pattern.compile("(?s)<parameter=([^>\\n]*)>\\n?(.*?)\\n?</parameter>"),
                Pattern.compile("(?s)<parameter=([^>\\n]*)>\\n?((?:(?!</parameter>).)*)$"),
                "</parameter>",
                "</function>",
                "</" + group + ">",
                true);
    }

    private static Tags named(
            String parser, String open, String close, String call, String callClose, String key, String valueClose) {
        return new Tags(
                Set.of(parser),
                open,
                open + "\\s*" + call,
                call,
                "(?s)(?:" + open + "\\s*)?" + call + "(?:\\s*" + key + ".*?" + valueClose + ")*\\s*" + callClose
                        + "(?:\\s*" + close + ")?",
                Pattern.compile("(?s)" + key + "(.*?)" + valueClose),
                Pattern.compile("(?s)" + key + "((?:(?!" + valueClose + ").)*)$"),
                valueClose,
                callClose,
                close,
                false);
    }

    /** The notation of the case's tool parser; empty if it is another kind. */
    static Optional<Tags> of(GoldenCase golden) {
        return golden.toolParser().flatMap(name -> ALL.stream()
                .filter(tags -> tags.parsers.contains(name))
                .findFirst());
    }

    /** The notation that the reasoning of a case without a tool parser is looked through for. */
    static Tags usual() {
        return QWEN;
    }

    /** Whether white space between text and a call stays with the text. */
    boolean keepsSpace() {
        return parsers.contains("deepseek_v32") || parsers.contains("step3");
    }

    /** Whether only numbers and booleans are no strings. */
    boolean scalars() {
        return parsers.contains("step3");
    }

    /** Whether a model that must call writes plain JSON. */
    boolean forcedJson() {
        return parsers.contains("seed_oss") || scalars();
    }

    /** Whether a text is the start of what ends a call or a group. */
    boolean endsCut(String text) {
        return !text.isEmpty()
                && (callClose.startsWith(text)
                        || groupClose.startsWith(text)
                        || (scalars() && "<｜tool_call_end｜>".startsWith(text)));
    }

    /** Whether a text has opened a group, or a call where there are no groups, and not closed it. */
    boolean groupOpen(String text) {
        String bare = value.matcher(text).replaceAll("");
        return bare.lastIndexOf(marker) > bare.lastIndexOf(groupClose.isEmpty() ? callClose : groupClose);
    }

    /** Whether a text ends in the name of a call. */
    boolean nameCut(String text) {
        int open = nameOpen().isEmpty() ? -1 : text.lastIndexOf(nameOpen());
        return open >= 0 && NAME_SO_FAR.matcher(text.substring(open + nameOpen().length())).matches();
    }

    /** What stands before the name of a call, where a name can be cut off unseen; empty elsewhere. */
    private String nameOpen() {
        if (ownLines) {
            return "<function=";
        }
        if (parsers.contains("deepseek_v32")) {
            return "<｜DSML｜invoke name=";
        }
        if (parsers.contains("glm45")) {
            return marker;
        }
        return parsers.contains("minimax_m2") ? "<invoke name=" : "";
    }

    /** Whether a text holds a marker of calls. */
    boolean marksIn(String text) {
        return text.contains(marker)
                || text.contains(callClose)
                || (!groupClose.isEmpty() && text.contains(groupClose));
    }

    /** Whether the newlines around the tags, and spaces in them, are those of Qwen3-Coder. */
    boolean likeQwen() {
        return ownLines;
    }

    Matcher openers(GoldenCase golden, String text) {
        return matcher(opener, golden, text);
    }

    Matcher calls(GoldenCase golden, String text) {
        return matcher(call, golden, text);
    }

    Matcher blocks(GoldenCase golden, String text) {
        return matcher(block, golden, text);
    }

    private static Matcher matcher(String pattern, GoldenCase golden, String text) {
        String names = golden.parseRequest().tools().stream()
                .map(Tool::name)
                .map(Pattern::quote)
                .collect(Collectors.joining("|"));
        // Without functions nothing is a name.
        return Pattern.compile(pattern.replace("NAMES", names.isEmpty() ? "(?!)" : names))
                .matcher(text);
    }
}
