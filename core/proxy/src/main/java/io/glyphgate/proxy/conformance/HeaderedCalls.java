package io.glyphgate.proxy.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import io.glyphgate.proxy.conformance.Answer.Call;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads families that write calls as a header with the name and then the arguments as one JSON value. */
final class HeaderedCalls {
    /**
     * How a family writes its calls.
     *
     * @param opener what opens a group where the start of a call follows
     * @param group what opens a group where a call follows it
     * @param call the header of a call up to its arguments: groups {@code name}, {@code id} and {@code end}, the last
     *     one empty where the marker is missing
     * @param callEnd what closes a call
     * @param groupEnd what closes a group
     * @param stop what ends arguments that are no JSON
     * @param marker any of the markers
     */
    private record Format(
            Pattern opener,
            Pattern group,
            Pattern call,
            Pattern callEnd,
            Pattern groupEnd,
            Pattern stop,
            Pattern marker) {
        /** What closes something, without the white space before it; the newline of a code fence belongs to it. */
        private static String tight(String end) {
            return end.replace("\\s*(?:```)?", "(?:\\n?```)?").replaceFirst("^\\\\s\\*", "");
        }

        /** Whether a code fence is around the arguments. */
        boolean fenced() {
            return callEnd.pattern().contains("```");
        }

        static Format of(String group, String callOpen, String header, String callEnd, String groupEnd, String marker) {
            String call = callOpen + header;
            return new Format(
                    Space.pattern(group + callOpen),
                    Space.pattern(group + "(?=" + call + ")"),
                    Space.pattern(call),
                    Space.pattern(callEnd),
                    Space.pattern(groupEnd),
                    Space.pattern(tight(callEnd) + "|" + tight(groupEnd) + "|" + callOpen),
                    Space.pattern(marker));
        }
    }

    private static final Pattern FENCE_CUT = Pattern.compile("\\n`{0,3}$");
    private static final String FENCE_END = "\n```";
    private static final String DEEPSEEK_MARKER = "<｜tool▁(?:calls?▁(?:begin|end)|sep)｜>";
    private static final Map<String, Format> FORMATS = Map.of(
            "kimi_k2",
            Format.of(
                    "<\\|tool_calls_section_begin\\|>\\s*",
                    "<\\|tool_call_begin\\|>",
                    "\\s*(?!functions\\.\\s*:)(?<id>(?:functions\\.)?\\s*(?<name>[^<:{\\s`][^<:{\\n`]*?)\\s*(?::[^<{]*)?:\\d+)\\s*"
                            + "(?<end><\\|tool_call_argument_begin\\|>|(?=\\{))",
                    "\\s*<\\|tool_call_end\\|>",
                    "\\s*<\\|tool_calls_section_end\\|>",
                    "<\\|tool_call(?:s_section)?_(?:argument_)?(?:begin|end)\\|>"),
            "deepseek_v3",
            Format.of(
                    "<｜tool▁calls▁begin｜>\\s*",
                    "<｜tool▁call▁begin｜>function<｜tool▁sep｜>",
                    "(?<id>)\\s*+(?<name>[^\\s<{`][^<{\\n`]*?)\\s*(?<end>\\n```json\\n|(?=\\{))",
                    "\\s*(?:```)?<｜tool▁call▁end｜>",
                    "\\s*(?:```)?<｜tool▁calls▁end｜>",
                    DEEPSEEK_MARKER),
            "deepseek_v31",
            Format.of(
                    "<｜tool▁calls▁begin｜>\\s*",
                    "<｜tool▁call▁begin｜>",
                    "(?<id>)\\s*+(?<name>[^\\s<{`][^<{`]*?)\\s*(?<end><｜tool▁sep｜>|(?=\\{))",
                    "\\s*<｜tool▁call▁end｜>",
                    "\\s*<｜tool▁calls▁end｜>",
                    DEEPSEEK_MARKER));

    private HeaderedCalls() {}

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

    static CallParts read(GoldenCase golden, String rest) {
        return new Scan(format(golden), rest).read();
    }

    private static Format format(GoldenCase golden) {
        return golden.toolParser().map(FORMATS::get).orElseThrow();
    }

    /** Whether the arguments of a call are no JSON, or not there. */
    private static boolean malformed(String arguments) {
        return new Call("", "", arguments).value().filter(JsonNode::isObject).isEmpty();
    }

    private static final class Scan {
        private final Format format;
        private final String text;
        private final List<String> pieces = new ArrayList<>();
        private final List<Call> calls = new ArrayList<>();
        private final StringBuilder piece = new StringBuilder();
        private boolean cutOff;
        private boolean irregular;
        /** Whether what closes the last call has not come. */
        private boolean owed;

        private int at;

        Scan(Format format, String text) {
            this.format = format;
            this.text = text;
        }

        CallParts read() {
            boolean grouped = false;
            while (at < text.length()) {
                Matcher group = look(format.group);
                Matcher call = look(format.call);
                Matcher groupEnd = look(format.groupEnd);
                Matcher callEnd = look(format.callEnd);
                if (group.lookingAt()) {
                    at = group.end();
                    grouped = true;
                } else if (grouped && call.lookingAt()) {
                    pieces.add(piece.toString());
                    piece.setLength(0);
                    call(call);
                } else if (grouped && groupEnd.lookingAt() && endsHere()) {
                    at = groupEnd.end();
                    grouped = false;
                    owed = false;
                    pieces.add(piece.toString());
                    piece.setLength(0);
                } else if (owed && callEnd.lookingAt() && endsHere()) {
                    at = callEnd.end();
                    owed = false;
                    pieces.add(piece.toString());
                    piece.setLength(0);
                } else if (grouped && Space.blank(piece.toString()) && endCut()) {
                    at = text.length();
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

        /** Whether white space that stands here, if any does, belongs to what closes a call. */
        private boolean endsHere() {
            return !Space.is(text.charAt(at)) || text.startsWith(FENCE_END, at);
        }

        /** Whether the rest of the text is the beginning of what closes a call or a group. */
        private boolean endCut() {
            return endCutAt(at);
        }

        private boolean endCutAt(int from) {
            boolean cut = false;
            for (Pattern end : List.of(format.callEnd, format.groupEnd)) {
                Matcher matcher = end.matcher(text).region(from, text.length());
                cut |= !matcher.lookingAt() && matcher.hitEnd();
            }
            return cut && !Space.blank(text.substring(from));
        }

        /** Whether white space stands between the name and what ends it. */
        private boolean spaceFollows(Matcher header) {
            String between = text.substring(header.end("name"), header.start("end"));
            return header.group("id").isEmpty() && !between.isEmpty();
        }

        private void call(Matcher header) {
            irregular |= header.group("end").isEmpty()
                    || Space.is(text.charAt(header.start("name") - 1))
                    || header.group("id").chars().anyMatch(c -> Space.is((char) c))
                    || spaceFollows(header);
            at = header.end();
            while (at < text.length() && Space.is(text.charAt(at))) {
                at++;
            }
            int start = at;
            int valueEnd = CallParts.valueEnd(text, at, format.stop);
            boolean whole = valueEnd > 0;
            at = Math.abs(valueEnd);
            cutOff = !whole && at == text.length();
            // What the end cut may be a marker instead of a value.
            boolean marker = cutOff && endCutAt(start);
            String written = text.substring(start, at);
            // What ends the code fence may have begun.
            String value = cutOff && format.fenced() && !CallParts.inString(written) ? FENCE_CUT.matcher(written).replaceFirst("") : written;
            String arguments = marker ? "" : value;
            irregular |= !cutOff
                    && (malformed(arguments) || format.marker.matcher(arguments).find());
            while (whole && at < text.length() && text.charAt(at) == '}') {
                irregular = true;
                at++;
            }
            calls.add(new Call(
                    header.group("id"),
                    Space.strip(header.group("name")),
                    arguments.isEmpty() && !cutOff ? "{}" : arguments));
            Matcher end = look(format.callEnd);
            owed = !end.lookingAt();
            if (!owed) {
                at = end.end();
            } else {
                irregular |= at < text.length();
                cutOff |= at == text.length() || endCut();
            }
        }
    }
}
