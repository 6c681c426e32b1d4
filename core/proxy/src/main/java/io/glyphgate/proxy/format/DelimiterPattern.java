package io.glyphgate.proxy.format;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A regular expression of a response template, as far as it is literals with white space and named groups between them:
 * what can be looked for with bounded lookahead.
 *
 * @param parts the literals and groups in order; white space is between two parts, or at an end
 */
record DelimiterPattern(List<Part> parts) {
    private static final Pattern PIECE = Pattern.compile("(?<space>\\\\s\\*|\\\\n\\?)"
            + "|\\(\\?P<(?<group>\\w+)>(?:\\\\w\\+|\\.\\+\\?|\\.\\*\\?|\\[[^\\]]+\\]\\+)\\)"
            + "|\\\\(?<escaped>[^A-Za-z0-9])"
            + "|\\\\(?<control>[nt])"
            + "|(?<plain>[^\\\\()\\[\\]{}.*+?|^$])");

    /** A piece of the pattern. */
    sealed interface Part {
        /** Text as it stands. */
        record Text(String text) implements Part {}

        /** Any white space, or one line break that may be there. */
        record Space(boolean any) implements Part {}

        /** What a name is given to. */
        record Group(String name) implements Part {}
    }

    /** Reads an expression; empty if anything else is in it. */
    static Optional<DelimiterPattern> of(String expression) {
        List<Part> parts = new ArrayList<>();
        StringBuilder text = new StringBuilder();
        Matcher pieces = PIECE.matcher(expression);
        int end = 0;
        while (pieces.find() && pieces.start() == end) {
            end = pieces.end();
            if (pieces.group("escaped") != null) {
                text.append(pieces.group("escaped"));
            } else if (pieces.group("control") != null) {
                text.append(pieces.group("control").equals("n") ? '\n' : '\t');
            } else if (pieces.group("plain") != null) {
                text.append(pieces.group("plain"));
            } else {
                flush(text, parts);
                parts.add(
                        pieces.group("space") != null
                                ? new Part.Space(pieces.group("space").startsWith("\\s"))
                                : new Part.Group(pieces.group("group")));
            }
        }
        flush(text, parts);
        return end == expression.length() ? Optional.of(new DelimiterPattern(List.copyOf(parts))) : Optional.empty();
    }

    private static void flush(StringBuilder text, List<Part> parts) {
        if (!text.isEmpty()) {
            parts.add(new Part.Text(text.toString()));
            text.setLength(0);
        }
    }

    /** The kinds of the parts: {@code t} for text, {@code s} for white space, the first letter of its name for a group. */
    String shape() {
        StringBuilder shape = new StringBuilder();
        for (Part part : parts) {
            shape.append(switch (part) {
                case Part.Text text -> 't';
                case Part.Space space -> 's';
                case Part.Group group -> group.name().charAt(0);
            });
        }
        return shape.toString();
    }

    /** The literals, in order. */
    List<String> texts() {
        return parts.stream()
                .filter(Part.Text.class::isInstance)
                .map(part -> ((Part.Text) part).text())
                .toList();
    }
}
