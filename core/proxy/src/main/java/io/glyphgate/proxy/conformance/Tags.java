package io.glyphgate.proxy.conformance;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * How a family writes calls with tags, as regular expressions for rules that look at the whole output. {@code NAMES}
 * stands for the functions that the request offers.
 *
 * @param parsers the names of its tool parser
 * @param groups the markers that open a group, the outer one first
 * @param groupEnd what closes a group
 * @param call the marker that opens a call
 * @param header what follows it up to the parameters, with the name as the group {@code name}
 * @param callEnd what closes a call
 * @param keyOpen what opens a parameter
 * @param key what follows up to the value, with what names the parameter as the group {@code key}
 * @param valueOpen what stands in front of the value; empty if nothing does
 * @param valueClose what ends a value
 * @param space which white space around a value belongs to its tags
 * @param offered whether every call must name a function that is offered
 * @param ungrouped whether a call of such a function counts outside a group
 * @param keepsSpace whether white space between text and a call stays with the text
 * @param scalars whether only numbers and booleans are no strings
 * @param forcedJson whether a model that must call writes plain JSON
 */
record Tags(
        Set<String> parsers,
        List<String> groups,
        String groupEnd,
        String call,
        String header,
        String callEnd,
        String keyOpen,
        String key,
        String valueOpen,
        String valueClose,
        Space space,
        boolean offered,
        boolean ungrouped,
        boolean keepsSpace,
        boolean scalars,
        boolean forcedJson) {
    /** Which white space around a value belongs to its tags. */
    enum Space {
        NONE,
        /** One newline on each side. */
        LINES,
        ALL
    }

    private static final String NEVER = "(?!)";
    private static final String QUOTED_KEY = "(?<key>\\s*+[^>\\n]*)(?:>|(?=\\n))";
    private static final Tags QWEN = qwen(Set.of("qwen3_coder", "qwen3_xml", "step3p5"), "tool_call", false);
    private static final List<Tags> ALL = List.of(
            QWEN,
            qwen(Set.of("seed_oss"), "seed:tool_call", true),
            new Tags(
                    Set.of("glm45", "glm47"),
                    List.of(),
                    NEVER,
                    "<tool_call>",
                    "\\s*(?<name>NAMES)[ \\t]*(?:\\n|(?=<)(?!</?[a-z_]*$))",
                    "</tool_call>",
                    "<arg_key>",
                    "(?<key>\\s*+[^\\n]*?)(?:</arg_key>|(?=\\n))\\s*",
                    "<arg_value>",
                    "</arg_value>",
                    Space.NONE,
                    true,
                    false,
                    false,
                    false,
                    false),
            new Tags(
                    Set.of("step3"),
                    List.of("<｜tool_calls_begin｜>", "<｜tool_call_begin｜>function<｜tool_sep｜>"),
                    "<｜tool_calls?_end｜>",
                    "<steptml:invoke name=\"",
                    "\\s*+(?!\">)(?<name>[^\\s<][^<\\n]*?)[ \\t]*(?:\">|(?=[\\n<]))",
                    "</steptml:invoke>",
                    "<steptml:parameter name=",
                    QUOTED_KEY,
                    "",
                    "</steptml:parameter>",
                    Space.ALL,
                    false,
                    false,
                    true,
                    true,
                    true),
            new Tags(
                    Set.of("minimax_m2"),
                    List.of("<minimax:tool_call>"),
                    "</minimax:tool_call>",
                    "<invoke name=[\"']?",
                    "\\s*(?<name>NAMES)\\s*(?:[\"']?>|(?=[\\n<]))",
                    "</invoke>",
                    "<parameter name=",
                    QUOTED_KEY,
                    "",
                    "</parameter>",
                    Space.NONE,
                    true,
                    true,
                    false,
                    false,
                    false),
            new Tags(
                    Set.of("deepseek_v32"),
                    List.of("<｜DSML｜function_calls>"),
                    "</｜DSML｜function_calls>",
                    "<｜DSML｜invoke name=\"",
                    "\\s*+(?!\">)(?<name>[^\\s<][^<\\n]*?)[ \\t]*(?:\">|(?=[\\n<]))",
                    "</｜DSML｜invoke>",
                    "<｜DSML｜parameter name=",
                    QUOTED_KEY,
                    "",
                    "</｜DSML｜parameter>",
                    Space.NONE,
                    false,
                    true,
                    true,
                    false,
                    false));

    private static Tags qwen(Set<String> parsers, String group, boolean forcedJson) {
        return new Tags(
                parsers,
                List.of("<" + group + ">"),
                "</" + group + ">",
                "<function=",
                "\\s*(?<name>[^>\\s<][^>\\n<]*?)[ \\t]*(?:>|(?=[\\n<]))",
                spaced("</function>"),
                spaced("<parameter="),
                QUOTED_KEY,
                "",
                spaced("</parameter>"),
                Space.LINES,
                false,
                true,
                false,
                false,
                forcedJson);
    }

    /** A tag as it counts inside of a call: with or without spaces between its signs and words, if the family has those. */
    String inside(String tag) {
        return space == Space.LINES ? spaced(tag) : tag;
    }

    /** A tag with or without spaces between its signs and words. */
    private static String spaced(String tag) {
        return tag.replaceAll("(?<=[</])|(?==)", "[ \\\\t]*").replaceAll("(?=>)", "[ \\\\t]*");
    }

    /** The notation of the case's tool parser; empty if it is another kind. */
    static Optional<Tags> of(GoldenCase golden) {
        return golden.toolParser()
                .flatMap(name ->
                        ALL.stream().filter(tags -> tags.parsers.contains(name)).findFirst());
    }

    /** Whether all parameters may stand in one that the function does not have. */
    boolean wrapped() {
        return parsers.contains("deepseek_v32");
    }

    /** The notation that the reasoning of a case without a tool parser is looked through for. */
    static Tags usual() {
        return QWEN;
    }
}
