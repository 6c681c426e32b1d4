package io.glyphgate.jinja.tree;

/** A compiled expression. */
@FunctionalInterface
interface Evaluation {
    /** Its value. */
    Object in(Frame frame);
}
