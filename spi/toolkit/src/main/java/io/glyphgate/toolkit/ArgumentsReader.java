package io.glyphgate.toolkit;

import io.glyphgate.spi.DeltaSink;

/** Turns the arguments of one call into JSON text while they arrive. */
interface ArgumentsReader {
    /** How far a call has come. */
    enum Progress {
        /** More text is needed. */
        OPEN,
        /** The arguments are complete; what closes the call has not been read. */
        COMPLETE,
        /** The arguments are complete, and so is the call. */
        CLOSED,
        /** The text cannot be a call; nothing of it has been given out. */
        NO_CALL,
        /** The call cannot go on here; what was read of it stands. */
        BROKEN,
        /** The output ended inside the call; what was read of it stands. */
        CUT,
        /** The output ended where the arguments would begin. */
        UNBEGUN
    }

    /**
     * Reads on from the cursor's position.
     *
     * @param atEnd whether no more text comes; the answer is then never {@link Progress#OPEN}
     */
    Progress read(boolean atEnd, DeltaSink out);
}
