package io.glyphgate.toolkit;

import io.glyphgate.spi.DeltaSink;

/**
 * What follows the reasoning in a family that marks the answer too. Markers are dropped; so is white space that stands
 * between the reasoning and the answer, or behind the answer, alone.
 */
final class Answer {
    private enum State {
        /** Nothing but white space has come. */
        BEFORE,
        TEXT,
        /** Nothing but white space has come since the answer was closed. */
        BEHIND
    }

    private final Literals markers;
    private final Cursor cursor;
    private State state = State.BEFORE;

    Answer(Literals markers, Cursor cursor) {
        this.markers = markers;
        this.cursor = cursor;
    }

    void read(boolean atEnd, DeltaSink out) {
        while (!cursor.exhausted()) {
            if (state == State.TEXT) {
                cursor.seek(markers);
                cursor.content(cursor.position(), out);
            } else {
                cursor.skipWhiteSpace();
            }
            if (!cursor.exhausted() && !marker(atEnd, out)) {
                return;
            }
        }
        if (atEnd && state == State.BEHIND) {
            cursor.structure(cursor.end(), out);
        } else if (atEnd) {
            cursor.content(cursor.end(), out);
        }
    }

    /** Reads the marker, or the character of text, at the cursor. Returns false if more text is needed. */
    private boolean marker(boolean atEnd, DeltaSink out) {
        switch (cursor.match(markers, atEnd)) {
            case OPEN -> {
                return false;
            }
            case TEXT, CUT -> {
                cursor.advance(cursor.length());
                cursor.content(cursor.position(), out);
                state = State.TEXT;
            }
            case MARK -> {
                Mark.Role role = cursor.mark().role();
                boolean opens = role == Mark.Role.BODY_OPEN;
                if (!opens) {
                    cursor.content(cursor.position(), out);
                }
                cursor.advance(cursor.length());
                cursor.structure(cursor.position(), out);
                state = role == Mark.Role.BODY_CLOSE ? State.BEHIND : opens ? State.TEXT : state;
            }
        }
        return true;
    }
}
