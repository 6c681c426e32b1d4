package io.glyphgate.proxy.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import io.glyphgate.proxy.conformance.Answer.Call;
import io.glyphgate.spi.ToolChoice;
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
 * are an array without a marker. One of them may write a header with the name there too, and one JSON value.
 */
final class ListedCalls {
    /**
     * How a family writes its calls.
     *
     * @param opener the marker where a call can follow it
     * @param end what closes the calls; matches nothing if nothing does
     * @param marker any of the markers, or what vLLM takes for one
     * @param stripped whether white space between text and calls is dropped
     * @param header the header of a call up to its arguments, with the groups {@code name} and {@code id}; matches
     *     nothing if there is none
     */
    private record Format(Pattern opener, Pattern end, Pattern marker, boolean stripped, Pattern header) {
        static Format of(String opener, String end, String marker, boolean stripped) {
            return of(opener, end, marker, stripped, NOTHING);
        }

        static Format of(String opener, String end, String marker, boolean stripped, String header) {
            return new Format(
                    Pattern.compile(opener),
                    Pattern.compile(end),
                    Pattern.compile(marker),
                    stripped,
                    Pattern.compile(header));
        }
    }

    private static final String NOTHING = "(?!)";
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
            "granite",
            Format.of("<\\|?tool_call\\|?>\\s*(?=\\[)", NOTHING, "<\\|?tool_call\\|?>", true),
            "mistral",
            Format.of(
                    "(?:\\[TOOL_CALLS]\\s*)+(?=\\[(?: |\\n\\s*)?\\{|\\{)",
                    NOTHING,
                    "\\[TOOL_CALLS]",
                    false,
                    ("(?:\\[TOOL_CALLS]\\s*)+(?<name>(?![.:/-])WORD+)\\s*"
                                    + "(?:\\[CALL_ID]\\s*(?<id>WORD*)\\s*)?(?:\\[ARGS]|(?=\\{)|\\z)")
                            .replace("WORD", "[\\p{L}\\p{Nd}_.:/-]")));
    private static final Pattern BARE_VALUE = Pattern.compile("[^\\s,{}\\[\\]\"]+");
    private static final Pattern DEMANDED = Pattern.compile("(?=\\[\\s*\\{)");
    private static final Pattern UNMARKED =
            Pattern.compile("(?=\\[\\s*\\{|\\{\\s*\"(?:name|arguments|parameters)\")");
    private static final Set<String> AS_EVER = Set.of("llama3_json", "mistral");
    private static final Set<String> THOUGHTFUL = Set.of("hunyuan_a13b");
    private static final Pattern THOUGHT = Pattern.compile("(?s)<think>.*?(?:</think>|$)");
    private static final Pattern SEPARATED = Pattern.compile("[,;]\\s*$");
    private static final Pattern NAME = Pattern.compile("\"name\"\\s*:\\s*\"([^\"]+)\"");
    private static final Pattern ARGUMENTS = Pattern.compile("\"(?:arguments|parameters)\"\\s*:\\s*");

    private final Format format;
    /** Whether no call counts between tags of a thought. */
    private final boolean thoughtful;

    private final boolean demanded;
    /** How calls start that are demanded. */
    private final Pattern unmarked;
    /** Whether the output ended by itself, which closes a call that nothing else closes. */
    private final boolean ended;

    private final String text;
    private final List<String> pieces = new ArrayList<>();
    private final List<Call> calls = new ArrayList<>();
    private final StringBuilder piece = new StringBuilder();
    private boolean cutOff;
    private boolean irregular;
    private int at;

    private ListedCalls(Format format, boolean thoughtful, boolean demanded, boolean ended, String text) {
        this.format = format;
        this.thoughtful = thoughtful;
        this.demanded = demanded;
        this.ended = ended;
        this.unmarked = format.header.pattern().equals(NOTHING) ? DEMANDED : UNMARKED;
        this.text = text;
    }

    static boolean written(GoldenCase golden) {
        return golden.toolParser().filter(FORMATS::containsKey).isPresent();
    }

    static int opener(GoldenCase golden, String text) {
        Matcher opener = format(golden).opener.matcher(text);
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
        return written(golden) && golden.toolParser().filter(AS_EVER::contains).isEmpty();
    }

    /** Whether the array that was demanded may be one of the family's own, without its marker. */
    static boolean unmarked(GoldenCase golden) {
        ToolChoice.Mode mode = golden.parseRequest().toolChoice().mode();
        return golden.toolParser().filter("mistral"::equals).isPresent()
                && (mode == ToolChoice.Mode.REQUIRED || mode == ToolChoice.Mode.NAMED);
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
                        unmarked(golden) || (json && choice.mode() == ToolChoice.Mode.REQUIRED),
                        golden.json().path("detok").path("finish_reason").asText().equals("stop"),
                        rest).read();
    }

    private CallParts read() {
        while (at < text.length()) {
            Matcher opener = look(format.opener);
            Matcher header = look(format.header);
            Matcher thought = look(THOUGHT);
            if (thoughtful && thought.lookingAt()) {
                piece.append(thought.group());
                at = thought.end();
            } else if (opener.lookingAt() && named(opener.end())) {
                calls(opener.end());
            } else if (demanded && look(unmarked).lookingAt() && named(at)) {
                calls(at);
            } else if (header.lookingAt() && (ended || !headerCut(header))) {
                headed(header);
            } else if (opener.lookingAt() || (demanded && look(unmarked).lookingAt())) {
                int brace = text.indexOf('{', at);
                int end = brace < 0 ? at + 1 : Math.abs(CallParts.valueEnd(text, brace, format.marker));
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

    private void calls(int from) {
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
        Matcher end = look(format.end);
        if (end.lookingAt()) {
            at = end.end();
        } else if (end.hitEnd() && !text.substring(at).isBlank()) {
            at = text.length();
        }
        irregular |= !closed && at < text.length();
        cutOff |= at == text.length() && !end.lookingAt() && !format.end.pattern().equals(NOTHING);
    }

    /** Whether the end of the output stands where what ends a header would. */
    private boolean headerCut(Matcher header) {
        return header.end() == text.length() && !header.group().endsWith("[ARGS]");
    }

    private void headed(Matcher header) {
        pieces.add(piece.toString().stripTrailing());
        piece.setLength(0);
        at = header.end();
        skip("\\s*");
        int start = at;
        Matcher bare = look(BARE_VALUE);
        int valueEnd = bare.lookingAt() ? bare.end() : CallParts.valueEnd(text, at, format.marker);
        at = Math.abs(valueEnd);
        boolean cut = valueEnd < 0 && at == text.length();
        String arguments = text.substring(start, at);
        calls.add(new Call(
                header.group("id") == null ? "" : header.group("id"),
                header.group("name"),
                arguments.isEmpty() && (!cut || ended) ? "{}" : arguments));
        cutOff |= cut;
        irregular |= !cut && (new Call("", "", arguments).value().isEmpty() || format.marker.matcher(arguments).find());
        while (valueEnd > 0 && at < text.length() && text.charAt(at) == '}') {
            irregular = true;
            at++;
        }
    }

    private void call() {
        at = text.indexOf('{', at);
        int end = CallParts.valueEnd(text, at, format.marker);
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
            Matcher bare = BARE_VALUE.matcher(object).region(key.end(), object.length());
            int valueEnd =
                    bare.lookingAt() ? bare.end() : CallParts.valueEnd(object, key.end(), format.marker);
            arguments = object.substring(key.end(), Math.abs(valueEnd));
            if (!format.header.pattern().equals(NOTHING)) {
                arguments = unquoted(arguments);
            }
        } else {
            irregular |= !cut;
        }
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

    /** Arguments that are a JSON string are what the string holds, and {@code null} is none. */
    private static String unquoted(String arguments) {
        if (arguments.equals("null")) {
            return "{}";
        }
        return arguments.startsWith("\"")
                ? new Call("", "", arguments).value().map(JsonNode::asText).orElse(arguments)
                : arguments;
    }

    private void skip(String pattern) {
        Matcher matcher = look(Pattern.compile(pattern));
        at = matcher.lookingAt() ? matcher.end() : at;
    }
}
