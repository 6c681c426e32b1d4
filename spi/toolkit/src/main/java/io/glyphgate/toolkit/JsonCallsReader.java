package io.glyphgate.toolkit;

import io.glyphgate.spi.DeltaSink;
import org.jspecify.annotations.Nullable;

/** Reads one call that is a JSON object, or an array of them. */
final class JsonCallsReader implements ArgumentsReader {
    private enum Step {
        START,
        CALL,
        BETWEEN
    }

    private final Arguments.JsonCall keys;
    private final Literals breaks;
    private final Cursor cursor;
    private final JsonCallReader.Announcer announcer;

    private Step step;
    private boolean array;
    /** How far the text behind a bracket or a call has been looked at, and whether a semicolon was there. */
    private int ahead;

    private boolean separated;
    private ArgumentsReader call;

    /**
     * A reader behind a call's marker.
     *
     * @param opened the bracket or brace that the marker ends with and so has opened; any other character if it has
     *     opened none
     */
    JsonCallsReader(
            Arguments.JsonCall keys, Literals breaks, Cursor cursor, JsonCallReader.Announcer announcer, char opened) {
        this.keys = keys;
        this.breaks = breaks;
        this.cursor = cursor;
        this.announcer = announcer;
        this.array = opened == '[';
        this.step = opened == '[' || opened == '{' ? Step.CALL : Step.START;
        this.call = next(opened == '{');
    }

    private ArgumentsReader next(boolean opened) {
        return new JsonCallReader(keys, breaks, cursor, announcer, opened);
    }

    @Override
    public Progress read(boolean atEnd, DeltaSink out) {
        Progress progress = null;
        while (progress == null) {
            progress = switch (step) {
                case START -> start(atEnd);
                case CALL -> call(atEnd, out);
                case BETWEEN -> array ? inArray(atEnd, out) : alone(atEnd, out);
            };
        }
        return progress;
    }

    private @Nullable Progress start(boolean atEnd) {
        if (!cursor.skipWhiteSpace()) {
            return atEnd ? Progress.NO_CALL : Progress.OPEN;
        }
        array = cursor.current() == '[';
        return array ? startArray(atEnd) : startCall(cursor.position());
    }

    /** Reads on to the first call of an array, if one is there; else nothing of the array has been read. */
    private @Nullable Progress startArray(boolean atEnd) {
        ahead = Math.max(ahead, cursor.position() + 1);
        while (ahead < cursor.end() && Blank.is(cursor.at(ahead))) {
            ahead++;
        }
        if (ahead == cursor.end()) {
            return atEnd ? Progress.NO_CALL : Progress.OPEN;
        }
        return cursor.at(ahead) == '{' ? startCall(ahead) : Progress.NO_CALL;
    }

    private @Nullable Progress startCall(int from) {
        cursor.advance(from - cursor.position());
        step = Step.CALL;
        return null;
    }

    private @Nullable Progress call(boolean atEnd, DeltaSink out) {
        Progress progress = call.read(atEnd, out);
        if (progress == Progress.BROKEN && array && (cursor.current() == ']' || cursor.current() == '{')) {
            return unclosed(out);
        }
        if (progress != Progress.COMPLETE) {
            return progress;
        }
        step = Step.BETWEEN;
        ahead = cursor.position();
        return null;
    }

    /** Behind a call of an array that lacks its last brace: the array ends here, or goes on. */
    private @Nullable Progress unclosed(DeltaSink out) {
        out.anomaly("malformed-call");
        if (cursor.current() == '{') {
            nextCall(out);
        } else {
            step = Step.BETWEEN;
        }
        return null;
    }

    private void nextCall(DeltaSink out) {
        cursor.structure(cursor.position(), out);
        call = next(false);
        step = Step.CALL;
    }

    private @Nullable Progress inArray(boolean atEnd, DeltaSink out) {
        boolean more = cursor.skipWhiteSpace();
        cursor.structure(cursor.position(), out);
        if (!more) {
            return atEnd ? Progress.CUT : Progress.OPEN;
        }
        switch (cursor.current()) {
            case ',' -> {
                cursor.advance(1);
                return null;
            }
            case '{' -> {
                nextCall(out);
                return null;
            }
            case ']' -> closeArray(out);
            default -> out.anomaly("malformed-call");
        }
        return Progress.COMPLETE;
    }

    private void closeArray(DeltaSink out) {
        cursor.advance(1);
        cursor.structure(cursor.position(), out);
    }

    /** Behind a call that is no part of an array: semicolons may separate it from the next. */
    private @Nullable Progress alone(boolean atEnd, DeltaSink out) {
        while (ahead < cursor.end() && (cursor.at(ahead) == ';' || Blank.is(cursor.at(ahead)))) {
            separated |= cursor.at(ahead) == ';';
            ahead++;
        }
        if (ahead == cursor.end()) {
            return atEnd ? Progress.COMPLETE : Progress.OPEN;
        }
        if (!separated || cursor.at(ahead) != '{') {
            return Progress.COMPLETE;
        }
        separated = false;
        cursor.advance(ahead - cursor.position());
        nextCall(out);
        return null;
    }
}
