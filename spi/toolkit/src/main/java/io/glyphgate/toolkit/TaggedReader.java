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
        VALUE_OPEN,
        VALUE_START,
        /** In a value that is a string for certain, and is passed on. */
        STRING,
        /** In a value whose type its end decides. */
        HELD
    }

    private final Arguments.Tagged tags;
    private final ArgumentLiterals literals;
    private final @Nullable Tool tool;
    private final Cursor cursor;
    private final StringBuilder json = new StringBuilder("{");

    private final TrailingSpace space = new TrailingSpace();

    private Step step = Step.BETWEEN;
    private boolean strayed;
    private int keyStart;
    /** Whether the name of the parameter has begun. */
    private boolean keyed;
    private int valueStart;
    private int parameters;
    private String key = "";
    /** The types of the value; none for one that is JSON if it can be. */
    private Set<ValueType> types = TEXT;
    /** A value that may turn out to be all the arguments; it waits for the end of the call. */
    private @Nullable String wrapped;
    private String wrapKey = "";

    TaggedReader(Arguments.Tagged tags, ArgumentLiterals literals, @Nullable Tool tool, Cursor cursor) {
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
                case VALUE_OPEN -> valueOpen(atEnd, out);
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
            switch (cursor.match(literals.between(), atEnd)) {
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
        if (wrapped != null) {
            json.setLength(0);
            json.append(wrapped);
            wrapped = null;
            return Progress.COMPLETE;
        }
        json.append('}');
        return Progress.COMPLETE;
    }

    private void openKey(DeltaSink out) {
        unwrapNothing();
        cursor.advance(cursor.length());
        cursor.structure(cursor.position(), out);
        keyStart = cursor.position();
        keyed = false;
        step = Step.KEY;
    }

    private @Nullable Progress key(boolean atEnd, DeltaSink out) {
        while (!cursor.exhausted()) {
            char c = cursor.current();
            if (literals.keyClose().startWith(c)) {
                Cursor.Found found = cursor.match(literals.keyClose(), atEnd);
                if (found == Cursor.Found.OPEN) {
                    return Progress.OPEN;
                }
                if (found == Cursor.Found.MARK) {
                    openValue(cursor.length(), out);
                    return null;
                }
            }
            if (c == '\n' && keyed) {
                out.anomaly("malformed-call");
                openValue(0, out);
                return null;
            }
            keyed |= !Blank.is(c);
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
        String name = tags.spaced() || !tags.valueOpen().isEmpty() ? Blank.strip(text) : text;
        @Nullable TagName attributed = tags.attributes() ? TagName.of(name) : null;
        key = attributed == null ? name : attributed.name();
        if (attributed != null && !attributed.understood()) {
            out.anomaly("malformed-call");
        }
        types = tags.scalars() ? ValueType.scalar(tool, key) : ValueType.declared(tool, key);
        if (types.isEmpty() && (attributed == null || !attributed.json())) {
            types = TEXT;
        }
        cursor.advance(closeLength);
        cursor.structure(cursor.position(), out);
        step = tags.valueOpen().isEmpty() ? Step.VALUE_START : Step.VALUE_OPEN;
    }

    /** Reads from the name of a parameter to its value; a parameter without one is left out. */
    private @Nullable Progress valueOpen(boolean atEnd, DeltaSink out) {
        boolean more = cursor.skipWhiteSpace();
        Cursor.Found found = more ? cursor.match(literals.valueOpen(), atEnd) : Cursor.Found.OPEN;
        switch (found) {
            case OPEN -> {
                if (!atEnd) {
                    return Progress.OPEN;
                }
                step = Step.BETWEEN;
            }
            case MARK -> {
                cursor.advance(cursor.length());
                step = Step.VALUE_START;
            }
            case TEXT -> {
                out.anomaly("malformed-call");
                step = Step.BETWEEN;
            }
            case CUT -> {
                cursor.advance(cursor.end() - cursor.position());
                step = Step.BETWEEN;
            }
        }
        cursor.structure(cursor.position(), out);
        return null;
    }

    private @Nullable Progress valueStart(boolean atEnd, DeltaSink out) {
        if (cursor.exhausted() && !atEnd) {
            return Progress.OPEN;
        }
        switch (tags.space()) {
            case NONE -> {}
            case LINES -> {
                if (!cursor.exhausted() && cursor.current() == '\n') {
                    cursor.advance(1);
                }
            }
            case ALL -> {
                if (!cursor.skipWhiteSpace() && !atEnd) {
                    return Progress.OPEN;
                }
            }
        }
        cursor.structure(cursor.position(), out);
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

    /** Whether a value is an object of parameters that the function has, under a name that it does not have. */
    private boolean wraps(String value) {
        return parameters == 0
                && tags.wrappers().contains(key)
                && ValueType.declared(tool, key).isEmpty()
                && Json.keys(value)
                        .filter(keys -> !keys.isEmpty()
                                && keys.stream().allMatch(name -> ValueType.known(tool, name)))
                        .isPresent();
    }

    private void member() {
        memberOf(key);
    }

    private void memberOf(String name) {
        if (parameters > 0) {
            json.append(", ");
        }
        parameters++;
        json.append('"');
        Json.escape(name, json);
        json.append("\": ");
    }

    private @Nullable Progress value(boolean atEnd, DeltaSink out) {
        int tagStart = cursor.end();
        while (cursor.seek(literals.value())) {
            switch (cursor.match(literals.value(), atEnd)) {
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
                    if ((cursor.mark().startsLine() && !atLineStart()) || (atEnd && tagInside())) {
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

    /**
     * Whether the tag with which the output ends stands in an object or a list that is not whole, so that it is likely part
     * of a string there.
     */
    private boolean tagInside() {
        boolean last = cursor.position() + cursor.length() == cursor.end();
        if (step != Step.HELD || !last || types.contains(ValueType.STRING)) {
            return false;
        }
        String text = cursor.slice(valueStart, valueEnd()).toString();
        return TypedValue.json(text, types) == null && TypedValue.openJson(text, types) != null;
    }

    private boolean atLineStart() {
        int position = cursor.position();
        return position == valueStart || (position > cursor.start() && cursor.at(position - 1) == '\n');
    }

    private int valueEnd() {
        return valueEnd(cursor.position());
    }

    /** Where the value ends if a tag stands at a position: white space before the tag may belong to it. */
    private int valueEnd(int end) {
        boolean newline = end > cursor.start() && cursor.at(end - 1) == '\n';
        return switch (tags.space()) {
            case NONE -> end;
            case LINES -> newline ? end - 1 : end;
            case ALL -> Math.max(valueStart, space.start(cursor, end));
        };
    }

    /** Passes on what is certain of a value that goes on. */
    private void giveValue(DeltaSink out) {
        if (step == Step.HELD && types.equals(TEXT_OR_NULL) && !mayBeNull()) {
            openString();
        }
        if (step == Step.STRING) {
            // A newline may turn out to start the line of a tag.
            int end = valueEnd();
            giveString(end > cursor.start() && cursor.at(end - 1) == '\n' ? end - 1 : end, out);
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
        if (wrapped != null) {
            complete();
        }
        if (step == Step.STRING) {
            giveString(valueEnd(), out);
        }
        cursor.structure(cursor.position(), out);
    }

    /** The value that waited is a parameter like any other. */
    private void unwrapNothing() {
        if (wrapped != null) {
            memberOf(wrapKey);
            json.append(wrapped);
            wrapped = null;
        }
    }

    private void hold(@Nullable String value) {
        if (value != null && wraps(value)) {
            wrapKey = key;
            wrapped = value;
        } else if (value == null) {
            openString();
        } else {
            member();
            json.append(value);
        }
    }
}
