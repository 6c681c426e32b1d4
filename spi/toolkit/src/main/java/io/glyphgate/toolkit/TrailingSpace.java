package io.glyphgate.toolkit;

/** Finds where the text before a position ends but for white space, looking at each character once. */
final class TrailingSpace {
    private int visibleEnd;
    private int looked;

    /** Takes what stands before a position for white space. */
    void skip(int to) {
        looked = Math.max(looked, to);
    }

    /** The position behind the last character before {@code to} that is no white space. */
    int start(Cursor cursor, int to) {
        for (int at = Math.max(looked, cursor.start()); at < to; at++) {
            if (!Blank.is(cursor.at(at))) {
                visibleEnd = at + 1;
            }
        }
        looked = Math.max(looked, to);
        return visibleEnd;
    }
}
