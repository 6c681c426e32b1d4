package io.glyphgate.toolkit;

import io.glyphgate.spi.DeltaSink;

/** Reads arguments that are one JSON value. */
final class JsonValueReader implements ArgumentsReader {
    private enum Step {
        START,
        VALUE,
        /** Behind the value, where models tend to write one brace too many. */
        END
    }

    private final Literals breaks;
    private final Cursor cursor;
    private final JsonSpan span = new JsonSpan();

    private Step step = Step.START;
    private int given;

    JsonValueReader(Literals breaks, Cursor cursor) {
        this.breaks = breaks;
        this.cursor = cursor;
    }

    @Override
    public Progress read(boolean atEnd, DeltaSink out) {
        Progress progress = steps(atEnd, out);
        if (step == Step.VALUE) {
            give(out);
        }
        cursor.structure(cursor.position(), out);
        return progress;
    }

    private Progress steps(boolean atEnd, DeltaSink out) {
        while (!cursor.exhausted()) {
            char c = cursor.current();
            if (step == Step.END) {
                if (c != '}') {
                    return Progress.COMPLETE;
                }
                out.anomaly("malformed-call");
                cursor.advance(1);
                continue;
            }
            if (!span.inString() && breaks.startWith(c)) {
                switch (cursor.match(breaks, atEnd)) {
                    case OPEN -> {
                        return Progress.OPEN;
                    }
                    case MARK -> {
                        if (step == Step.VALUE) {
                            return Progress.BROKEN;
                        }
                        out.toolArguments("{}");
                        return Progress.COMPLETE;
                    }
                    case CUT -> {
                        if (!JsonSpan.opens(c) || cursor.end() > cursor.position() + 1) {
                            return Progress.CUT;
                        }
                    }
                    case TEXT -> {}
                }
            }
            boolean begins = step == Step.START;
            if (begins) {
                if (Blank.is(c)) {
                    cursor.advance(1);
                    continue;
                }
                step = Step.VALUE;
                given = cursor.position();
                span.begin();
            }
            JsonSpan.Place place = span.take(c);
            if (place != JsonSpan.Place.AFTER) {
                cursor.advance(1);
            }
            if (place != JsonSpan.Place.INSIDE) {
                if (begins && place == JsonSpan.Place.AFTER) {
                    // What ends a value stands in the place of one.
                    out.toolArguments("{}");
                }
                give(out);
                step = Step.END;
            }
        }
        if (!atEnd) {
            return Progress.OPEN;
        }
        return switch (step) {
            case START -> Progress.UNBEGUN;
            case VALUE -> Progress.CUT;
            case END -> Progress.COMPLETE;
        };
    }

    private void give(DeltaSink out) {
        if (cursor.position() > given) {
            out.toolArguments(cursor.slice(given, cursor.position()));
            given = cursor.position();
        }
    }
}
