package io.glyphgate.jinja.tree;

/** A compiled statement. */
@FunctionalInterface
interface Action {
    /** Runs it. */
    Flow run(Frame frame, Output out);
}
