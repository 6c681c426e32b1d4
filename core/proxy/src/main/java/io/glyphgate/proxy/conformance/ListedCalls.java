package io.glyphgate.proxy.conformance;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.glyphgate.proxy.conformance.Answer.Call;
import io.glyphgate.spi.ToolChoice;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
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
     * @param certain those of them that mean calls alone
     * @param end what closes the calls; matches nothing if nothing does
     * @param marker any of the markers, or what vLLM takes for one
     * @param stop what ends JSON outside of its strings: a marker of calls that can follow it, or what closes calls
     * @param stripped whether white space between text and calls is dropped
     * @param header the header of a call up to its arguments, with the groups {@code name} and {@code id}; matches
     *     nothing if there is none
     */
    private record Format(
            Pattern opener,
            Pattern certain,
            Pattern end,
            Pattern marker,
            Pattern stop,
            boolean stripped,
            Pattern header) {
        /** That of a family whose markers tell that calls follow. */
        static Format of(String opener, String end, String marker, boolean stripped) {
            String stop = opener + "|" + end.replaceFirst("^\\\\s\\*", "");
            return of(opener, opener, end, marker, stop, stripped, NOTHING);
        }

        static Format of(
                String opener,
                String certain,
                String end,
                String marker,
                String stop,
                boolean stripped,
                String header) {
            return new Format(
                    Space.pattern(opener),
                    Space.pattern(certain),
                    Space.pattern(end),
                    Space.pattern(marker),
                    Space.pattern(stop),
                    stripped,
                    Space.pattern(header));
        }
    }

    private static final String NOTHING = "(?!)";
    private static final Pattern NO_END = Pattern.compile(NOTHING);
    private static final Format HERMES =
            Format.of("<tool_call>\\s*(?=\\{)", "\\s*</tool_call>", "</?tool_call>", false);
    private static final Format TOOL_CALLS =
            Format.of("<tool_calls>\\s*(?=\\[)", "\\s*</tool_calls>", "</?tool_calls>", false);
    /** Parsers that write calls as {@code hermes} does, and those of them that are bound to JSON when a call is demanded. */
    private static final Set<String> LIKE_HERMES = Set.of("qwen3_json", "granite4", "ernie45");

    private static final Set<String> BOUND_TO_JSON = Set.of("granite4", "ernie45");

    private static final Map<String, Format> FORMATS = Map.of(
            "hermes",
            HERMES,
            "jamba",
            TOOL_CALLS,
            "hunyuan_a13b",
            TOOL_CALLS,
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
                    "(?:<\\|python_tag\\|>\\s*)?(?=\\{\\s*\"|\\[\\s*\\{)",
                    "(?:<\\|python_tag\\|>\\s*)?(?=\\{\\s*\"|\\[\\s*\\{)",
                    NOTHING,
                    "<\\|python_tag\\|>",
                    "<\\|python_tag\\|>\\s*(?=\\{\\s*\"|\\[\\s*\\{)",
                    false,
                    NOTHING),
            "xlam",
            Format.of(
                    "(?:```(?:json)?|<tool_call>|\\[TOOL_CALLS])\\s*(?=\\[)",
                    "(?:<tool_call>|\\[TOOL_CALLS])\\s*(?=\\[)",
                    "\\s*(?:```|</tool_call>)",
                    "```|</?tool_call>|\\[TOOL_CALLS]",
                    "(?:```(?:json)?|<tool_call>|\\[TOOL_CALLS])\\s*(?=\\[)|```|</tool_call>",
                    true,
                    NOTHING),
            "mistral",
            Format.of(
                    "(?:\\[TOOL_CALLS]\\s*)+(?=\\[(?: |\\n\\s*)?\\{|\\{)",
                    "(?:\\[TOOL_CALLS]\\s*)+(?=\\[(?: |\\n\\s*)?\\{|\\{)",
                    NOTHING,
                    "\\[TOOL_CALLS]",
                    "\\[TOOL_CALLS]",
                    false,
                    ("(?:\\[TOOL_CALLS]\\s*)+(?<name>(?![.:/-])WORD+)\\s*"
                                    + "(?:\\[CALL_ID]\\s*(?<id>WORD*)\\s*)?(?:\\[ARGS]|(?=\\{)|\\z)")
                            .replace("WORD", "[\\p{L}\\p{Nd}_.:/-]")),
            "granite",
            Format.of("<\\|?tool_call\\|?>\\s*(?=\\[)", NOTHING, "<\\|?tool_call\\|?>", true));
    /** That of a family that writes calls in another way. */
    private static final Format UNWRITTEN = Format.of(NOTHING, NOTHING, NOTHING, false);

    private static final Pattern UNMARKED =
            Space.pattern("(?=\\[\\s*\\{|\\{\\s*\"(?:name|arguments|parameters)\")");
    private static final Set<String> PARAMETERS = Set.of("internlm", "llama3_json");
    private static final Set<String> NATIVE_WHEN_DEMANDED = Set.of("hermes", "llama3_json", "mistral");
    private static final Pattern BARE = Space.pattern("(?=\\[\\s*\\{)");
    private static final Set<String> THOUGHTFUL = Set.of("hunyuan_a13b");
    private static final Pattern THOUGHT = Pattern.compile("(?s)<think>.*?(?:</think>|$)");
    private static final String THOUGHT_END = "</think>";
    private static final String ENDLESS = "[TOOL_CALLS]";
    private static final Pattern CUT_ESCAPE = Pattern.compile("(?<!\\\\)((?:\\\\\\\\)*)\\\\(?:u[0-9a-fA-F]{0,3})?$");
    private static final Set<String> ARGUMENT_KEYS = Set.of("arguments", "parameters");
    private static final Pattern SEPARATOR = Space.pattern("\\s*;[\\s;]*(?=\\{)");
    private static final Pattern PLAIN_NAME = Space.pattern("[^\\s\\\\]+");
    /** A character behind a backslash stands for itself, if JSON does not say otherwise. */
    private static final ObjectMapper LENIENT = JsonMapper.builder()
            .enable(JsonReadFeature.ALLOW_BACKSLASH_ESCAPING_ANY_CHARACTER)
            .build();

    /**
     * An object as far as it can be read.
     *
     * @param name the name of the call; empty if the object is none
     * @param arguments the text of the arguments; null if there are none
     * @param end where the reading ended
     * @param whole whether that is behind the object's last brace
     * @param plain whether it is written as vLLM's parsers expect a call
     */
    private record Read(String name, @Nullable String arguments, int end, boolean whole, boolean plain) {}

    private final Format format;
    /** Whether no call counts between tags of a thought. */
    private final boolean thoughtful;

    private final boolean demanded;
    /** How calls start that are demanded. */
    private final Pattern unmarked;
    /** Whether the output ended by itself, which closes a call that nothing else closes. */
    private final boolean ended;
    /** Whether the arguments of a call may be a string that holds them. */
    private final boolean quoted;
    /** Whether the family is xLAM: calls may be bare at the start, and their arguments a string. */
    private final boolean xlam;
    /** The key that vLLM's parser wants for the arguments. */
    private final String argumentsKey;

    private final String text;
    private final List<String> pieces = new ArrayList<>();
    private final List<Call> calls = new ArrayList<>();
    private final StringBuilder piece = new StringBuilder();
    private int groups;
    /** Whether what closes the last calls has not come. */
    private boolean owed;

    private boolean cutOff;
    private boolean irregular;
    private int at;

    private ListedCalls(
            Format format,
            boolean thoughtful,
            boolean demanded,
            boolean ended,
            boolean xlam,
            String argumentsKey,
            String text) {
        boolean headed = !format.header.pattern().equals(NOTHING);
        this.unmarked = headed ? UNMARKED : BARE;
        this.ended = ended;
        this.quoted = xlam || headed;
        this.xlam = xlam;
        this.format = format;
        this.thoughtful = thoughtful;
        this.demanded = demanded;
        this.argumentsKey = argumentsKey;
        this.text = text;
    }

    /** The name of the case's tool parser, or that of the one that writes calls in the same way. */
    private static Optional<String> notation(GoldenCase golden) {
        return golden.toolParser().map(name -> LIKE_HERMES.contains(name) ? "hermes" : name);
    }

    static boolean written(GoldenCase golden) {
        return notation(golden).filter(FORMATS::containsKey).isPresent();
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
        return written(golden)
                && (notation(golden).filter(NATIVE_WHEN_DEMANDED::contains).isEmpty()
                        || golden.toolParser().filter(BOUND_TO_JSON::contains).isPresent());
    }

    /** Whether the array that was demanded may be one of the family's own, without its marker. */
    static boolean unmarked(GoldenCase golden) {
        ToolChoice.Mode mode = golden.parseRequest().toolChoice().mode();
        return golden.toolParser().filter("mistral"::equals).isPresent()
                && (mode == ToolChoice.Mode.REQUIRED || mode == ToolChoice.Mode.NAMED);
    }

    static boolean xlam(GoldenCase golden) {
        return golden.toolParser().filter("xlam"::equals).isPresent();
    }

    private static Format format(GoldenCase golden) {
        return notation(golden).map(FORMATS::get).orElseThrow();
    }

    static CallParts read(GoldenCase golden, String rest) {
        ToolChoice choice = golden.parseRequest().toolChoice();
        boolean json = demandsJson(golden);
        if (json && choice.mode() == ToolChoice.Mode.NAMED) {
            return Space.blank(rest)
                    ? new CallParts(List.of(rest), List.of(), false, false)
                    : new CallParts(List.of(""), List.of(new Call("", choice.function(), rest)), false, false);
        }
        return new ListedCalls(
                        format(golden),
                        golden.toolParser().filter(THOUGHTFUL::contains).isPresent(),
                        unmarked(golden) || (json && choice.mode() == ToolChoice.Mode.REQUIRED),
                        golden.json().path("detok").path("finish_reason").asText().equals("stop"),
                        xlam(golden),
                        golden.toolParser().filter(PARAMETERS::contains).isPresent() ? "parameters" : "arguments",
                        rest)
                .read();
    }

    /** The calls of an array that a demand made, the last one perhaps cut off, and the text behind it. */
    static CallParts array(String text) {
        return new ListedCalls(UNWRITTEN, false, true, false, false, "parameters", text).read();
    }

    private CallParts read() {
        while (at < text.length()) {
            Matcher opener = look(format.opener);
            Matcher header = look(format.header);
            Matcher thought = look(THOUGHT);
            Matcher end = look(format.end);
            boolean opens = opener.lookingAt();
            boolean array = bare();
            int from = opens ? opener.end() : at;
            if (thoughtful && thought.lookingAt()) {
                piece.append(thought.group());
                at = thought.end();
            } else if ((opens || array) && named(from)) {
                calls(from, opens && !opener.group().startsWith(ENDLESS));
            } else if (header.lookingAt() && (ended || !headerCut(header))) {
                headed(header);
            } else if (opens || array) {
                int brace = space(stands('[', from) ? from + 1 : from);
                to(Math.max(at + 1, stands('{', brace) ? object(brace).end : from));
            } else if (owed
                    && end.lookingAt()
                    && (Space.blank(piece.toString()) || !Space.is(text.charAt(at)))) {
                at = end.end();
                owed = false;
                endPiece();
            } else {
                to(at + 1);
            }
        }
        pieces.add(piece.toString());
        return new CallParts(pieces, calls, cutOff, irregular || groups > 1);
    }

    /** Whether a list without a marker stands here, where it counts. */
    private boolean bare() {
        String before = Space.strip(String.join("", pieces) + piece);
        return (demanded && look(unmarked).lookingAt())
                || (xlam && (before.isEmpty() || before.endsWith(THOUGHT_END)) && look(BARE).lookingAt());
    }

    private void to(int end) {
        piece.append(text, at, end);
        at = end;
    }

    private void endPiece() {
        pieces.add(format.stripped ? Space.stripTrailing(piece.toString()) : piece.toString());
        piece.setLength(0);
    }

    private Matcher look(Pattern pattern) {
        return pattern.matcher(text).region(at, text.length());
    }

    private int space(int from) {
        int to = from;
        while (to < text.length() && Space.is(text.charAt(to))) {
            to++;
        }
        return to;
    }

    private boolean stands(char c, int position) {
        return position < text.length() && text.charAt(position) == c;
    }

    /** Whether the object at a position, or the first of the array there, is a call. */
    private boolean named(int from) {
        int brace = space(stands('[', from) ? from + 1 : from);
        return stands('{', brace) && !object(brace).name.isEmpty();
    }

    /** Reads the members of an object, the first name and the first arguments of which count. */
    private Read object(int from) {
        String name = "";
        String arguments = null;
        boolean plain = true;
        Set<String> keys = new HashSet<>();
        int to = space(from + 1);
        while (stands('"', to)) {
            int keyEnd = CallParts.valueEnd(text, to, format.stop);
            int value = keyEnd < 0 ? text.length() : space(keyEnd);
            if (!stands(':', value)) {
                return new Read(name, arguments, value, false, false);
            }
            String key = decoded(text.substring(to, keyEnd));
            value = space(value + 1);
            int end = CallParts.valueEnd(text, value, format.stop);
            boolean names = key.equals("name") && name.isEmpty();
            boolean other = names && value < text.length() && !stands('"', value);
            if (value == text.length() || value == end || other || (names && end < 0)) {
                return new Read(name, arguments, end < 0 && !other ? -end : value, false, false);
            }
            String written = text.substring(value, Math.abs(end));
            boolean argues = ARGUMENT_KEYS.contains(key);
            if (names) {
                name = decoded(written);
                plain &= PLAIN_NAME.matcher(written).matches();
                if (Space.blank(name)) {
                    return new Read("", null, end, false, false);
                }
            } else if (argues && arguments == null) {
                arguments = written;
            }
            plain &= keys.add(argues ? argumentsKey : key);
            plain &= !argues || (key.equals(argumentsKey) && !name.isEmpty());
            if (end < 0) {
                return new Read(name, arguments, -end, false, false);
            }
            to = space(end);
            if (stands(',', to)) {
                to = space(to + 1);
                plain &= !stands('}', to);
            } else if (!stands('}', to)) {
                return new Read(name, arguments, to, false, false);
            }
        }
        boolean whole = stands('}', to);
        return new Read(name, arguments, whole ? to + 1 : to, whole, plain && whole);
    }

    private static String decoded(String string) {
        try {
            return LENIENT.readValue(string, String.class);
        } catch (JsonProcessingException e) {
            // What is no JSON is what it looks like.
            return string.substring(1, string.length() - 1);
        }
    }

    private void calls(int from, boolean marked) {
        endPiece();
        groups++;
        boolean array = stands('[', from);
        at = space(array ? from + 1 : from);
        boolean whole = call();
        int behind = at;
        while (whole ? separated(array) : array && stands('{', at)) {
            irregular |= !whole;
            if (!named(at)) {
                irregular = true;
                // A server's own array goes no further, and what follows the last call is text; others may go on.
                at = format.equals(UNWRITTEN) ? behind : at;
                to(Math.abs(CallParts.valueEnd(text, at, format.stop)));
                owed = false;
                return;
            }
            endPiece();
            whole = call();
            behind = at;
        }
        boolean closed = !array || stands(']', at);
        at += array && closed ? 1 : 0;
        Matcher end = look(marked ? format.end : NO_END);
        boolean ended = end.lookingAt();
        boolean endCut = !ended && end.hitEnd() && !Space.blank(text.substring(at));
        at = ended ? end.end() : endCut ? text.length() : at;
        irregular |= at < text.length() && (!closed || (xlam && marked && !ended));
        cutOff |= at == text.length() && (!closed || (!ended && !end.pattern().pattern().equals(NOTHING)));
        owed = !ended && marked;
    }

    /** Whether the end of the output stands where what ends a header would. */
    private boolean headerCut(Matcher header) {
        return header.end() == text.length() && !header.group().endsWith("[ARGS]");
    }

    private void headed(Matcher header) {
        pieces.add(Space.stripTrailing(piece.toString()));
        piece.setLength(0);
        at = space(header.end());
        int start = at;
        int valueEnd = CallParts.valueEnd(text, at, format.stop);
        at = Math.abs(valueEnd);
        boolean cut = valueEnd < 0 && at == text.length();
        String arguments = text.substring(start, at);
        calls.add(new Call(
                header.group("id") == null ? "" : header.group("id"),
                header.group("name"),
                arguments.isEmpty() && (!cut || ended) ? "{}" : arguments));
        cutOff |= cut;
        irregular |= !cut && (malformed(arguments) || format.marker.matcher(arguments).find());
        while (valueEnd > 0 && stands('}', at)) {
            irregular = true;
            at++;
        }
    }

    /** Goes on to the next object. Returns false if there is none. */
    private boolean separated(boolean array) {
        if (!array) {
            Matcher separator = look(SEPARATOR);
            at = separator.lookingAt() ? separator.end() : at;
            return separator.hasMatch();
        }
        int to = space(at);
        int commas = 0;
        while (stands(',', to)) {
            to = space(to + 1);
            commas++;
        }
        irregular |= commas != (stands('{', to) ? 1 : 0);
        at = to;
        return stands('{', to);
    }

    /** Reads a call. Returns false if its object does not end as one. */
    private boolean call() {
        Read object = object(at);
        boolean cut = !object.whole && object.end == text.length();
        String written = object.arguments == null ? "" : object.arguments;
        boolean none = (written.isEmpty() && !cut) || (quoted && written.equals("null"));
        String arguments = none ? "{}" : quoted && written.startsWith("\"") ? unquoted(written) : written;
        cutOff |= cut;
        irregular |= !cut
                && (!object.plain
                        || object.arguments == null
                        || malformed(arguments)
                        || format.marker.matcher(arguments).find());
        calls.add(new Call("", object.name, arguments));
        at = object.end;
        while (object.whole && stands('}', at)) {
            irregular = true;
            at++;
        }
        return object.whole;
    }

    /** What a string holds that the end of the output may have cut. */
    private static String unquoted(String string) {
        Call whole = new Call("", "", string);
        Call closed = new Call("", "", CUT_ESCAPE.matcher(string).replaceFirst("$1") + "\"");
        return whole.value()
                .or(closed::value)
                .map(JsonNode::textValue)
                .orElseGet(() -> decoded(string.endsWith("\"") ? string : string + '"'));
    }

    private static boolean malformed(String arguments) {
        return new Call("", "", arguments).value().filter(JsonNode::isObject).isEmpty();
    }
}
