package io.glyphgate.toolkit;

import io.glyphgate.spi.DeltaSink;
import io.glyphgate.spi.Tool;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads arguments that are a list of bare keys and values, strings between quotes that are markers. */
final class KeyValueReader implements ArgumentsReader {
    private static final Set<ValueType> TEXT = EnumSet.of(ValueType.STRING);

    private enum Step {
        KEY,
        VALUE,
        /** In a value without quotes, whose end gives it a type. */
        BARE,
        /** In a string that is passed on. */
        STRING,
        /** In quotes, around a value that its schema may give another type. */
        HELD,
        AFTER
    }

    /** An open bracket: the schema of what it holds, and whether it holds something. */
    private static final class Frame {
        private final char close;
        private final @Nullable Object schema;
        private boolean filled;

        private Frame(char close, @Nullable Object schema) {
            this.close = close;
            this.schema = schema;
        }
    }

    private final int quoteLength;
    private final ArgumentLiterals literals;
    private final Cursor cursor;
    private final StringBuilder json = new StringBuilder("{");
    private final List<Frame> frames = new ArrayList<>();

    private Step step = Step.KEY;
    /** Whether the bracket around all keys has come, or will not. */
    private boolean opened;
    private boolean strayed;
    /** Whether the key has a character. */
    private boolean keyed;

    private int from;
    private String key = "";
    private @Nullable Object schema;
    private Set<ValueType> types = TEXT;

    /**
     * A reader.
     *
     * @param opened whether the cursor stands behind the bracket that opens the arguments; else one may follow
     */
    KeyValueReader(
            Arguments.KeyValues values, ArgumentLiterals literals, @Nullable Tool tool, boolean opened, Cursor cursor) {
        this.quoteLength = values.quote().length();
        this.literals = literals;
        this.opened = opened;
        this.cursor = cursor;
        frames.add(new Frame('}', tool == null ? null : tool.parameters()));
        from = cursor.position();
    }

    @Override
    public Progress read(boolean atEnd, DeltaSink out) {
        Progress progress = null;
        while (progress == null) {
            progress = cursor.exhausted() ? exhausted(atEnd) : literal(atEnd, out);
        }
        if (!json.isEmpty()) {
            out.toolArguments(json);
            json.setLength(0);
        }
        if (step != Step.KEY && step != Step.BARE && step != Step.HELD) {
            cursor.structure(cursor.position(), out);
        }
        return progress;
    }

    private Progress exhausted(boolean atEnd) {
        if (!atEnd) {
            return Progress.OPEN;
        }
        if (step == Step.BARE || step == Step.HELD) {
            String text = cursor.slice(from, cursor.position()).toString();
            String bare = step == Step.BARE ? Blank.strip(text) : text;
            String value = TypedValue.openJson(bare, types);
            if (!bare.isEmpty()) {
                element();
                json.append(value == null ? "\"" : value);
                if (value == null) {
                    Json.escape(bare, json);
                }
            }
        }
        step = Step.AFTER;
        return Progress.CUT;
    }

    /** Looks for a marker at the cursor, then for a sign. Null means to read on. */
    private @Nullable Progress literal(boolean atEnd, DeltaSink out) {
        Literals wanted = step == Step.STRING || step == Step.HELD ? literals.value() : literals.between();
        if (wanted.startWith(cursor.current())) {
            switch (cursor.match(wanted, atEnd)) {
                case OPEN -> {
                    return Progress.OPEN;
                }
                case MARK -> {
                    return mark(out);
                }
                case TEXT, CUT -> {}
            }
        }
        return sign(cursor.current(), out);
    }

    private @Nullable Progress mark(DeltaSink out) {
        if (cursor.mark().role() == Mark.Role.VALUE_CLOSE) {
            quote(out);
            return null;
        }
        // The call ends here, whatever is open.
        if (step == Step.BARE) {
            bare(true);
        }
        if (frames.size() > 1 || step != Step.AFTER) {
            out.anomaly("malformed-call");
        }
        while (!frames.isEmpty()) {
            json.append(frames.removeLast().close);
        }
        step = Step.AFTER;
        return Progress.COMPLETE;
    }

    private void quote(DeltaSink out) {
        switch (step) {
            case STRING -> {
                json.append('"');
                step = Step.AFTER;
            }
            case HELD -> {
                held(cursor.slice(from, cursor.position()).toString());
                step = Step.AFTER;
            }
            case VALUE -> {
                from = cursor.position() + quoteLength;
                step = types.equals(TEXT) ? Step.STRING : Step.HELD;
                if (step == Step.STRING) {
                    element();
                    json.append('"');
                }
            }
                // Around a key, or inside a value without quotes, it is not what it seems.
            case KEY, BARE, AFTER -> {}
        }
        cursor.advance(quoteLength);
        if (step == Step.STRING || step == Step.HELD || step == Step.AFTER) {
            cursor.structure(cursor.position(), out);
        }
    }

    private void held(String text) {
        String value = TypedValue.json(text, types);
        element();
        if (value != null) {
            json.append(value);
        } else {
            json.append('"');
            Json.escape(text, json);
            json.append('"');
        }
    }

    /** Ends a value without quotes; at the end of the call a parenthesis may stand behind it. */
    private void bare(boolean callEnds) {
        String text = Blank.strip(cursor.slice(from, cursor.position()).toString());
        boolean parenthesis = callEnds && text.endsWith(")") && text.indexOf('(') < 0;
        held(parenthesis ? Blank.strip(text.substring(0, text.length() - 1)) : text);
        step = Step.AFTER;
    }

    private @Nullable Progress sign(char c, DeltaSink out) {
        switch (step) {
            case KEY -> {
                return key(c, out);
            }
            case VALUE -> value(c, out);
            case BARE -> {
                if (c == ',' || c == '}' || c == ']') {
                    bare(false);
                } else {
                    cursor.advance(1);
                }
            }
            case STRING -> {
                Json.escape(cursor.slice(cursor.position(), cursor.position() + 1), json);
                cursor.advance(1);
            }
            case HELD -> cursor.advance(1);
            case AFTER -> {
                return after(c, out);
            }
        }
        return null;
    }

    private @Nullable Progress key(char c, DeltaSink out) {
        if (!keyed && (c == '}' || c == ')')) {
            return close(c, out);
        }
        cursor.advance(1);
        boolean opens = !opened && (c == '{' || c == '(');
        if (!keyed && (opens || c == ',' || Blank.is(c))) {
            opened |= opens;
            from = cursor.position();
            return null;
        }
        opened = true;
        keyed = true;
        if (c == ':') {
            String text = cursor.slice(from, cursor.position() - 1).toString();
            key = Blank.strip(text.replace(literals.quote(), ""));
            schema = property(frames.getLast().schema, key);
            types = ValueType.of(schema);
            step = Step.VALUE;
        }
        return null;
    }

    private static @Nullable Object property(@Nullable Object of, String name) {
        return of instanceof Map<?, ?> map && map.get("properties") instanceof Map<?, ?> properties
                ? properties.get(name)
                : null;
    }

    private void value(char c, DeltaSink out) {
        if (Blank.is(c)) {
            cursor.advance(1);
        } else if (c == '{' || c == '[') {
            element();
            json.append(c);
            cursor.advance(1);
            frames.add(new Frame(c == '{' ? '}' : ']', schema));
            next();
        } else if (c == frames.getLast().close && c == ']') {
            step = Step.AFTER;
        } else if (c == ',' && frames.getLast().close == ']') {
            // An element that is not there.
            cursor.advance(1);
        } else {
            from = cursor.position();
            step = Step.BARE;
        }
        if (step != Step.BARE) {
            cursor.structure(cursor.position(), out);
        }
    }

    /** Goes to what stands at the start of an element of the innermost bracket. */
    private void next() {
        Frame frame = frames.getLast();
        from = cursor.position();
        if (frame.close == '}') {
            step = Step.KEY;
            keyed = false;
        } else {
            schema = frame.schema instanceof Map<?, ?> map ? map.get("items") : null;
            types = ValueType.of(schema);
            step = Step.VALUE;
        }
    }

    private @Nullable Progress after(char c, DeltaSink out) {
        if (c == ',') {
            cursor.advance(1);
            next();
            return null;
        }
        if (c == frames.getLast().close || (c == ')' && frames.size() == 1)) {
            return close(c, out);
        }
        if (!Blank.is(c) && !strayed) {
            strayed = true;
            out.anomaly("malformed-call");
        }
        cursor.advance(1);
        return null;
    }

    private @Nullable Progress close(char c, DeltaSink out) {
        if (c == ')' && frames.size() > 1) {
            cursor.advance(1);
            return null;
        }
        cursor.advance(1);
        cursor.structure(cursor.position(), out);
        json.append(frames.removeLast().close);
        step = Step.AFTER;
        return frames.isEmpty() ? Progress.COMPLETE : null;
    }

    private void element() {
        Frame frame = frames.getLast();
        if (frame.filled) {
            json.append(", ");
        }
        frame.filled = true;
        if (frame.close == '}') {
            json.append('"');
            Json.escape(key, json);
            json.append("\": ");
        }
    }
}
