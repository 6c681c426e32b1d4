package io.glyphgate.toolkit;

import io.glyphgate.spi.DeltaSink;
import io.glyphgate.spi.Tool;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads arguments that stand between tags. */
final class TaggedReader implements ArgumentsReader {
    private static final Set<ValueType> TEXT = EnumSet.of(ValueType.STRING);
    private static final Set<ValueType> TEXT_OR_NULL = EnumSet.of(ValueType.NULL, ValueType.STRING);

    private enum Step {
        BETWEEN,
        KEY,
        VALUE_START,
        /** In a value that is a string for certain, and is passed on. */
        STRING,
        /** In a value whose type its end decides. */
        HELD
    }

    private final Arguments.Tagged tags;
    private final CallLiterals literals;
    private final @Nullable Tool tool;
    private final Cursor cursor;
    private final StringBuilder json = new StringBuilder("{");

    private Step step = Step.BETWEEN;
    private boolean strayed;
    private int keyStart;
    private int valueStart;
    private int parameters;
    private String key = "";
    private Set<ValueType> types = TEXT;

    TaggedReader(Arguments.Tagged tags, CallLiterals literals, @Nullable Tool tool, Cursor cursor) {
        this.tags = tags;
        this.literals = literals;
        this.tool = tool;
        this.cursor = cursor;
    }

    @Override
    public Progress read(boolean atEnd, DeltaSink out) {
        Progress progress = null;
        while (progress == null) {
            progress = switch (step) {
                case BETWEEN -> between(atEnd, out);
                case KEY -> key(atEnd, out);
                case VALUE_START -> valueStart(atEnd, out);
                case STRING, HELD -> value(atEnd, out);
            };
        }
        if (!json.isEmpty() && (parameters > 0 || progress != Progress.OPEN)) {
            out.toolArguments(json);
            json.setLength(0);
        }
        return progress;
    }

    private @Nullable Progress between(boolean atEnd, DeltaSink out) {
        while (true) {
            if (!cursor.skipWhiteSpace()) {
                cursor.structure(cursor.position(), out);
                return atEnd ? complete() : Progress.OPEN;
            }
            switch (cursor.match(literals.between, atEnd)) {
                case OPEN -> {
                    cursor.structure(cursor.position(), out);
                    return Progress.OPEN;
                }
                case CUT -> cursor.advance(cursor.end() - cursor.position());
                case TEXT -> {
                    if (!strayed) {
                        strayed = true;
                        out.anomaly("malformed-call");
                    }
                    cursor.advance(cursor.length());
                }
                case MARK -> {
                    if (cursor.mark().role() == Mark.Role.KEY_OPEN) {
                        openKey(out);
                        return null;
                    }
                    cursor.structure(cursor.position(), out);
                    if (cursor.mark().role() != Mark.Role.CALL_CLOSE) {
                        return complete();
                    }
                    cursor.advance(cursor.length());
                    cursor.structure(cursor.position(), out);
                    complete();
                    return Progress.CLOSED;
                }
            }
        }
    }

    private Progress complete() {
        json.append('}');
        return Progress.COMPLETE;
    }

    private void openKey(DeltaSink out) {
        cursor.advance(cursor.length());
        cursor.structure(cursor.position(), out);
        keyStart = cursor.position();
        step = Step.KEY;
    }

    private @Nullable Progress key(boolean atEnd, DeltaSink out) {
        while (!cursor.exhausted()) {
            char c = cursor.current();
            if (literals.keyClose.startWith(c)) {
                Cursor.Found found = cursor.match(literals.keyClose, atEnd);
                if (found == Cursor.Found.OPEN) {
                    return Progress.OPEN;
                }
                if (found == Cursor.Found.MARK) {
                    openValue(cursor.length(), out);
                    return null;
                }
            }
            if (c == '\n') {
                out.anomaly("malformed-call");
                openValue(0, out);
                return null;
            }
            cursor.advance(1);
        }
        if (!atEnd) {
            return Progress.OPEN;
        }
        cursor.structure(cursor.position(), out);
        return complete();
    }

    private void openValue(int closeLength, DeltaSink out) {
        String text = cursor.slice(keyStart, cursor.position()).toString();
        key = tags.spaced() ? text.strip() : text;
        types = ValueType.of(tool, key);
        cursor.advance(closeLength);
        cursor.structure(cursor.position(), out);
        step = Step.VALUE_START;
    }

    private @Nullable Progress valueStart(boolean atEnd, DeltaSink out) {
        if (cursor.exhausted() && !atEnd) {
            return Progress.OPEN;
        }
        if (!cursor.exhausted() && cursor.current() == '\n') {
            cursor.advance(1);
            cursor.structure(cursor.position(), out);
        }
        valueStart = cursor.position();
        step = Step.HELD;
        if (types.equals(TEXT)) {
            openString();
        }
        return null;
    }

    private void openString() {
        member();
        json.append('"');
        step = Step.STRING;
    }

    private void member() {
        if (parameters > 0) {
            json.append(", ");
        }
        parameters++;
        json.append('"');
        Json.escape(key, json);
        json.append("\": ");
    }

    private @Nullable Progress value(boolean atEnd, DeltaSink out) {
        int tagStart = cursor.end();
        while (cursor.seek(literals.value)) {
            switch (cursor.match(literals.value, atEnd)) {
                case OPEN -> {
                    giveValue(out);
                    return Progress.OPEN;
                }
                case TEXT -> cursor.advance(cursor.length());
                case CUT -> {
                    tagStart = Math.min(tagStart, cursor.position());
                    cursor.advance(cursor.length());
                }
                case MARK -> {
                    if (cursor.mark().startsLine() && !atLineStart()) {
                        cursor.advance(cursor.length());
                    } else {
                        closeValue(out);
                        return null;
                    }
                }
            }
        }
        if (!atEnd) {
            giveValue(out);
            return Progress.OPEN;
        }
        cutValue(tagStart, out);
        return Progress.CUT;
    }

    private boolean atLineStart() {
        int position = cursor.position();
        return position == valueStart || (position > cursor.start() && cursor.at(position - 1) == '\n');
    }

    private int valueEnd() {
        return valueEnd(cursor.position());
    }

    /** Where the value ends if a tag stands at a position: one newline before the tag belongs to it. */
    private int valueEnd(int end) {
        return end > cursor.start() && cursor.at(end - 1) == '\n' ? end - 1 : end;
    }

    /** Passes on what is certain of a value that goes on. */
    private void giveValue(DeltaSink out) {
        if (step == Step.HELD && types.equals(TEXT_OR_NULL) && !mayBeNull()) {
            openString();
        }
        if (step == Step.STRING) {
            giveString(valueEnd(), out);
        }
    }

    private boolean mayBeNull() {
        String text =
                cursor.slice(valueStart, Math.min(valueEnd(), valueStart + 5)).toString();
        return "null".regionMatches(true, 0, text, 0, text.length());
    }

    private void giveString(int to, DeltaSink out) {
        Json.escape(cursor.slice(cursor.start(), to), json);
        cursor.structure(to, out);
    }

    private void closeValue(DeltaSink out) {
        boolean ownEnd = cursor.mark().role() == Mark.Role.VALUE_CLOSE;
        int length = cursor.length();
        if (step == Step.HELD) {
            hold(TypedValue.json(cursor.slice(valueStart, valueEnd()).toString(), types));
        }
        if (step == Step.STRING) {
            giveString(valueEnd(), out);
            json.append('"');
        }
        if (ownEnd) {
            cursor.advance(length);
        } else {
            out.anomaly("malformed-call");
        }
        cursor.structure(cursor.position(), out);
        step = Step.BETWEEN;
    }

    /**
     * Gives out a value that the end of the output cut: its text so far, and nothing that would close it.
     *
     * @param tagStart where a tag may have begun; it is one if the text before it has a type
     */
    private void cutValue(int tagStart, DeltaSink out) {
        if (step == Step.HELD && cursor.end() > valueStart) {
            hold(TypedValue.openJson(
                    cursor.slice(valueStart, valueEnd(tagStart)).toString(), types));
        }
        if (step == Step.STRING) {
            giveString(valueEnd(), out);
        }
        cursor.structure(cursor.position(), out);
    }

    private void hold(@Nullable String value) {
        if (value == null) {
            openString();
        } else {
            member();
            json.append(value);
        }
    }
}
