package io.glyphgate.toolkit;

import io.glyphgate.spi.DeltaSink;

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
    private final CallStage stage;

    private Step step;
    private boolean array;
    private ArgumentsReader call;

    /**
     * A reader behind a call's marker.
     *
     * @param array whether the marker opened an array
     */
    JsonCallsReader(Arguments.JsonCall keys, Literals breaks, Cursor cursor, CallStage stage, boolean array) {
        this.keys = keys;
        this.breaks = breaks;
        this.cursor = cursor;
        this.stage = stage;
        this.array = array;
        this.step = array ? Step.CALL : Step.START;
        this.call = next();
    }

    private ArgumentsReader next() {
        return new JsonCallReader(keys, breaks, cursor, stage);
    }

    @Override
    public Progress read(boolean atEnd, DeltaSink out) {
        while (true) {
            if (step == Step.CALL) {
                Progress progress = call.read(atEnd, out);
                if (progress != Progress.COMPLETE || !array) {
                    return progress;
                }
                step = Step.BETWEEN;
            }
            boolean more = cursor.skipWhiteSpace();
            if (step == Step.BETWEEN) {
                cursor.structure(cursor.position(), out);
            }
            if (!more) {
                return atEnd ? end() : Progress.OPEN;
            }
            char c = cursor.current();
            if (step == Step.START) {
                array = c == '[';
                step = Step.CALL;
                cursor.advance(array ? 1 : 0);
            } else if (c == ',' || c == ';') {
                call = next();
                step = Step.CALL;
                cursor.advance(1);
                cursor.structure(cursor.position(), out);
            } else {
                if (c == ']') {
                    cursor.advance(1);
                    cursor.structure(cursor.position(), out);
                } else {
                    out.anomaly("malformed-call");
                }
                return Progress.COMPLETE;
            }
        }
    }

    /** What the end of the output makes of what has been read. */
    private Progress end() {
        return step == Step.START ? Progress.NO_CALL : Progress.CUT;
    }
}
