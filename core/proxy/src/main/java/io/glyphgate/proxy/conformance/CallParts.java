package io.glyphgate.proxy.conformance;

import io.glyphgate.proxy.conformance.Answer.Call;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The text behind the reasoning of a family of {@link HeaderedCalls}, {@link ListedCalls}, {@link TaggedCalls} or
 * {@link KeyValueCalls}, taken apart with the whole of it at hand.
 *
 * @param pieces the text around the calls: what stands before the first, and what follows each
 * @param calls the calls whose name is there, with the arguments as the model wrote them
 * @param cutOff whether the end of the output cut the last call
 * @param irregular whether a call is not written as the family writes it, or a marker stands in one of its strings
 */
record CallParts(List<String> pieces, List<Call> calls, boolean cutOff, boolean irregular) {
    CallParts {
        pieces = List.copyOf(pieces);
        calls = List.copyOf(calls);
    }

    /** Whether the family of the case is one of these. */
    static boolean written(GoldenCase golden) {
        return HeaderedCalls.written(golden)
                || ListedCalls.written(golden)
                || KeyValueCalls.written(golden)
                || Tags.of(golden).isPresent();
    }

    static CallParts of(GoldenCase golden) {
        String rest = OutputParts.of(golden).rest();
        if (DemandedCalls.written(golden)) {
            return DemandedCalls.read(golden);
        }
        if (Tags.of(golden).isPresent()) {
            return TaggedCalls.read(golden, rest);
        }
        if (KeyValueCalls.written(golden)) {
            return KeyValueCalls.read(golden, rest);
        }
        return ListedCalls.written(golden) ? ListedCalls.read(golden, rest) : HeaderedCalls.read(golden, rest);
    }

    /** Where the first marker stands that a call follows; -1 if there is none. */
    static int opener(GoldenCase golden, String text) {
        if (Tags.of(golden).isPresent()) {
            return TaggedCalls.opener(golden, text);
        }
        if (KeyValueCalls.written(golden)) {
            return KeyValueCalls.opener(text);
        }
        return ListedCalls.written(golden) ? ListedCalls.opener(golden, text) : HeaderedCalls.opener(golden, text);
    }

    /** Whether any marker stands in a text. */
    static boolean marked(GoldenCase golden, String text) {
        return marker(golden).matcher(text).find();
    }

    private static Pattern marker(GoldenCase golden) {
        if (ListedCalls.written(golden)) {
            return ListedCalls.marker(golden);
        }
        if (KeyValueCalls.written(golden)) {
            return KeyValueCalls.MARKER;
        }
        return HeaderedCalls.written(golden)
                ? HeaderedCalls.marker(golden)
                : TaggedCalls.marker(Tags.of(golden).orElse(Tags.usual()));
    }

    /** The content: all that is not blank, without the white space behind a call. */
    String content() {
        StringBuilder content = new StringBuilder();
        for (int i = 0; i < pieces.size(); i++) {
            if (!Space.blank(pieces.get(i)) || calls.isEmpty()) {
                boolean afterCall = i > 0 && content.isEmpty();
                content.append(afterCall ? Space.stripLeading(pieces.get(i)) : pieces.get(i));
            }
        }
        return content.toString();
    }

    /** Whether there is text in front of the first call. */
    boolean textPrecedes() {
        return !calls.isEmpty() && !Space.blank(pieces.get(0));
    }

    /** Whether there is text behind a call. */
    boolean textFollows() {
        return pieces.stream().skip(1).anyMatch(piece -> !Space.blank(piece));
    }

    /**
     * Where a JSON value ends, by itself or at a marker outside its strings.
     *
     * @return the position behind it; minus that position if the value has not ended there
     */
    static int valueEnd(String text, int from, Pattern marker) {
        int depth = 0;
        boolean string = false;
        for (int at = from; at < text.length(); at++) {
            char c = text.charAt(at);
            if (string && c == '\\') {
                at++;
            } else if (c == '"') {
                string = !string;
            } else if (!string && (c == '{' || c == '[') && !markerAt(text, at, marker)) {
                depth++;
            } else if (!string && (c == '}' || c == ']')) {
                depth--;
            } else if (!string && markerAt(text, at, marker)) {
                return -at;
            }
            if (!string && depth < 0) {
                return at;
            }
            if (!string && depth == 0 && (c == '}' || c == ']' || c == '"')) {
                return at + 1;
            }
            if (!string && depth == 0 && at > from && (c == ',' || Space.is(c))) {
                return at;
            }
        }
        return -text.length();
    }

    /** Whether JSON text ends inside of a string. */
    static boolean inString(String json) {
        boolean string = false;
        for (int at = 0; at < json.length(); at++) {
            if (string && json.charAt(at) == '\\') {
                at++;
            } else if (json.charAt(at) == '"') {
                string = !string;
            }
        }
        return string;
    }

    private static boolean markerAt(String text, int at, Pattern marker) {
        return marker.matcher(text).region(at, text.length()).lookingAt();
    }
}
