package io.glyphgate.jinja.tree;

/** A compiled template; used by many threads at once. */
@FunctionalInterface
public interface Program {
    /** What it writes in a rendering. */
    String run(Rendering rendering);
}
