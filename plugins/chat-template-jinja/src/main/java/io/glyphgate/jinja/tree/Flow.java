package io.glyphgate.jinja.tree;

/** Where a statement goes when it is done. */
enum Flow {
    /** To the statement after it. */
    NEXT,
    /** Out of the loop. */
    BREAK,
    /** To the next round of the loop. */
    CONTINUE
}
