package io.glyphgate.proxy.conformance;

import io.glyphgate.proxy.conformance.Answer.Call;
import io.glyphgate.spi.ToolChoice;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads families that write calls as JSON objects, one or an array of them, behind a marker, and whose demanded calls
 * are an array without a marker.
 */
final class ListedCalls {
    /**
     * How a family writes its calls.
     *
     * @param opener the marker where a call can follow it
     * @param certain those of them that mean calls alone
     * @param end what closes the calls; matches nothing if nothing does
     * @param marker any of the markers, or what vLLM takes for one
     * @param stripped whether white space between text and calls is dropped
     */
    private record Format(Pattern opener, Pattern certain, Pattern end, Pattern marker, boolean stripped) {
        static Format of(String opener, String end, String marker, boolean stripped) {
            return of(opener, opener, end, marker, stripped);
        }

        static Format of(String opener, String certain, String end, String marker, boolean stripped) {
            return new Format(
                    Pattern.compile(opener),
                    Pattern.compile(certain),
                    Pattern.compile(end),
                    Pattern.compile(marker),
                    stripped);
        }
    }

    private static final String NOTHING = "(?!)";
    private static final Pattern BARE_END = Pattern.compile(NOTHING);
    private static final Map<String, Format> FORMATS = Map.of(
            "jamba",
            Format.of("<tool_calls>\\s*(?=\\[)", "\\s*</tool_calls>", "</?tool_calls>", false),
            "hunyuan_a13b",
            Format.of("<tool_calls>\\s*(?=\\[)", "\\s*</tool_calls>", "</?tool_calls>", false),
            "internlm",
            Format.of(
                    "<\\|action_start\\|><\\|plugin\\|>\\s*(?=\\{)",
                    "\\s*<\\|action_end\\|>",
                    "<\\|action_start\\|><\\|plugin\\|>|<\\|action_end\\|>",
                    false),
            "phi4_mini_json",
            Format.of("functools(?=\\[\\s*\\{)", NOTHING, "functools\\[|]", false),
            "llama3_json",
            Format.of(
                    "(?:<\\|python_tag\\|>\\s*)?(?=\\{\\s*\"|\\[\\s*\\{)", NOTHING, "<\\|python_tag\\|>", false),
            "xlam",
            Format.of(
                    "(?:```(?:json)?|<tool_call>|\\[TOOL_CALLS])\\s*(?=\\[)",
                    "(?:<tool_call>|\\[TOOL_CALLS])\\s*(?=\\[)",
                    "\\s*(?:```|</tool_call>)",
                    "```|</?tool_call>|\\[TOOL_CALLS]",
                    true),
            "granite",
            Format.of("<\\|?tool_call\\|?>\\s*(?=\\[)", NOTHING, "<\\|?tool_call\\|?>", true));
    private static final Pattern BARE = Pattern.compile("(?=\\[\\s*\\{)");
    private static final Set<String> THOUGHTFUL = Set.of("hunyuan_a13b");
    private static final Pattern THOUGHT = Pattern.compile("(?s)<think>.*?(?:</think>|$)");
    private static final String THOUGHT_END = "</think>";
    private static final String ENDLESS = "[TOOL_CALLS]";
    private static final Pattern OBJECT = Pattern.compile("\\s*\\[?\\s*(?=\\{)");
    private static final Pattern NEXT_OBJECT = Pattern.compile(",\\s*\\{");
    private static final Pattern CUT_ESCAPE = Pattern.compile("(?<!\\\\)((?:\\\\\\\\)*)\\\\(?:u[0-9a-fA-F]{0,3})?$");
    private static final Pattern SEPARATED = Pattern.compile("[,;]\\s*$");
    private static final Pattern NAME = Pattern.compile("\"name\"\\s*:\\s*\"([^\"]+)\"");
    private static final Pattern ARGUMENTS = Pattern.compile("\"(?:arguments|parameters)\"\\s*:\\s*");

    private final Format format;
    /** Whether no call counts between tags of a thought. */
    private final boolean thoughtful;

    private final boolean demanded;
    /** Whether the family is xLAM: calls may be bare at the start, and their arguments a string. */
    private final boolean xlam;

    private final String text;
    private final List<String> pieces = new ArrayList<>();
    private final List<Call> calls = new ArrayList<>();
    private final StringBuilder piece = new StringBuilder();
    private boolean cutOff;
    private boolean irregular;
    private int at;

    private ListedCalls(Format format, boolean thoughtful, boolean demanded, boolean xlam, String text) {
        this.format = format;
        this.xlam = xlam;
        this.thoughtful = thoughtful;
        this.demanded = demanded;
        this.text = text;
    }

    static boolean written(GoldenCase golden) {
        return golden.toolParser().filter(FORMATS::containsKey).isPresent();
    }

    static int opener(GoldenCase golden, String text) {
        Matcher opener = format(golden).certain.matcher(text);
        return opener.find() ? opener.start() : -1;
    }

    static Pattern marker(GoldenCase golden) {
        return format(golden).marker;
    }

    static boolean stripped(GoldenCase golden) {
        return written(golden) && format(golden).stripped;
    }

    /** Whether demanded calls are JSON without a marker. */
    static boolean demandsJson(GoldenCase golden) {
        return written(golden) && golden.toolParser().filter("llama3_json"::equals).isEmpty();
    }

    static boolean xlam(GoldenCase golden) {
        return golden.toolParser().filter("xlam"::equals).isPresent();
    }

    private static Format format(GoldenCase golden) {
        return golden.toolParser().map(FORMATS::get).orElseThrow();
    }

    static CallParts read(GoldenCase golden, String rest) {
        ToolChoice choice = golden.parseRequest().toolChoice();
        boolean json = demandsJson(golden);
        if (json && choice.mode() == ToolChoice.Mode.NAMED) {
            return rest.isBlank()
                    ? new CallParts(List.of(rest), List.of(), false, false)
                    : new CallParts(List.of(""), List.of(new Call("", choice.function(), rest)), false, false);
        }
        return new ListedCalls(
                        format(golden),
                        golden.toolParser().filter(THOUGHTFUL::contains).isPresent(),
                        json && choice.mode() == ToolChoice.Mode.REQUIRED,
                        xlam(golden),
                        rest)
                .read();
    }

    private CallParts read() {
        while (at < text.length()) {
            Matcher opener = look(format.opener);
            Matcher thought = look(THOUGHT);
            if (thoughtful && thought.lookingAt()) {
                piece.append(thought.group());
                at = thought.end();
            } else if (opener.lookingAt() && named(opener.end())) {
                calls(opener.end(), !opener.group().startsWith(ENDLESS));
            } else if (bare() && named(at)) {
                calls(at, false);
            } else if (opener.lookingAt() || bare()) {
                int from = opener.lookingAt() ? Math.max(opener.end(), at + 1) : at;
                Matcher object = OBJECT.matcher(text).region(from, text.length());
                int end = object.lookingAt() ? Math.abs(CallParts.valueEnd(text, object.end(), format.marker)) : from;
                piece.append(text, at, end);
                at = end;
            } else {
                piece.append(text.charAt(at));
                at++;
            }
        }
        pieces.add(piece.toString());
        return new CallParts(pieces, calls, cutOff, irregular);
    }

    /** Whether a list without a marker stands here, where it counts. */
    private boolean bare() {
        String before = (String.join("", pieces) + piece).strip();
        return (demanded || (xlam && (before.isEmpty() || before.endsWith(THOUGHT_END))))
                && look(BARE).lookingAt();
    }

    private Matcher look(Pattern pattern) {
        return pattern.matcher(text).region(at, text.length());
    }

    /** Whether the name of a call stands in the object at a position, behind a bracket or not. */
    private boolean named(int from) {
        int brace = text.indexOf('{', from);
        return brace >= 0
                && text.substring(from, brace).replace("[", "").isBlank()
                && member(NAME, text.substring(brace, Math.abs(CallParts.valueEnd(text, brace, format.marker))))
                        != null;
    }

    /** The first place in an object where a pattern matches one of its own members. */
    private static @Nullable MatchResult member(Pattern pattern, String object) {
        return pattern.matcher(object)
                .results()
                .filter(found -> depth(object, found.start()) == 1)
                .findFirst()
                .orElse(null);
    }

    private static int depth(String object, int to) {
        int depth = 0;
        boolean string = false;
        for (int i = 0; i < to; i++) {
            char c = object.charAt(i);
            if (string && c == '\\') {
                i++;
            } else if (c == '"') {
                string = !string;
            } else if (!string && (c == '{' || c == '[')) {
                depth++;
            } else if (!string && (c == '}' || c == ']')) {
                depth--;
            }
        }
        return string ? -1 : depth;
    }

    private void calls(int from, boolean ends) {
        pieces.add(format.stripped ? piece.toString().stripTrailing() : piece.toString());
        piece.setLength(0);
        at = from;
        boolean array = text.charAt(at) == '[';
        at += array ? 1 : 0;
        boolean more = true;
        boolean first = true;
        while (more && named(at)) {
            if (!first) {
                pieces.add("");
            }
            first = false;
            call();
            skip(array ? "\\s*,?" : "\\s*;[\\s;]*(?=\\{)");
            more = at > 0 && SEPARATED.matcher(text.substring(0, at)).find();
        }
        skip(array && !more ? "\\s*" : "");
        boolean closed = !array || (at < text.length() && text.charAt(at) == ']');
        at += array && closed ? 1 : 0;
        cutOff |= !closed && at == text.length();
        Matcher end = look(ends ? format.end : BARE_END);
        if (end.lookingAt()) {
            at = end.end();
        } else if (end.hitEnd() && !text.substring(at).isBlank()) {
            at = text.length();
        }
        irregular |= at < text.length() && (!closed || (xlam && ends && !end.lookingAt()));
        cutOff |= at == text.length() && !end.lookingAt() && !end.pattern().pattern().equals(NOTHING);
    }

    private void call() {
        at = text.indexOf('{', at);
        int end = CallParts.valueEnd(text, at, format.marker);
        MatchResult next = member(NEXT_OBJECT, text.substring(at, Math.abs(end)));
        if (next != null) {
            end = at + next.start();
            irregular = true;
        }
        String object = text.substring(at, Math.abs(end));
        MatchResult name = member(NAME, object);
        if (name == null) {
            throw new IllegalStateException("no name in " + object);
        }
        MatchResult key = member(ARGUMENTS, object);
        String arguments = end > 0 ? "{}" : "";
        boolean cut = -end == text.length();
        cutOff |= cut;
        irregular |= end < 0 && !cut;
        if (key != null) {
            int valueEnd = CallParts.valueEnd(object, key.end(), format.marker);
            arguments = object.substring(key.end(), Math.abs(valueEnd));
        } else {
            irregular |= !cut;
        }
        irregular |= xlam && !cut && (key == null || key.group().contains("parameters") || !held(arguments));
        arguments = xlam && arguments.startsWith("\"") ? unquoted(arguments) : arguments;
        irregular |= !cut
                && (new Call("", "", arguments).value().isEmpty()
                        || format.marker.matcher(arguments).find());
        calls.add(new Call("", name.group(1), arguments));
        at = Math.abs(end);
        while (end > 0 && at < text.length() && text.charAt(at) == '}') {
            irregular = true;
            at++;
        }
    }

    /** Whether arguments are an object, or a string that holds them. */
    private static boolean held(String arguments) {
        return new Call("", "", arguments)
                .value()
                .filter(value -> value.isObject() || value.isTextual())
                .isPresent();
    }

    /** What a string holds that the end of the output may have cut. */
    private static String unquoted(String string) {
        Call whole = new Call("", "", string);
        Call closed = new Call("", "", CUT_ESCAPE.matcher(string).replaceFirst("$1") + "\"");
        return whole.value().or(closed::value).map(JsonNode::textValue).orElse(string);
    }

    private void skip(String pattern) {
        Matcher matcher = look(Pattern.compile(pattern));
        at = matcher.lookingAt() ? matcher.end() : at;
    }
}
