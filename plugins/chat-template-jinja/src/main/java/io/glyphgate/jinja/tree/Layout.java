package io.glyphgate.jinja.tree;

/** How many slots a function needs, and how deep it stands in others. */
final class Layout {
    private final int depth;
    private int size;

    private Layout(int depth) {
        this.depth = depth;
    }

    /** The layout of the template itself. */
    static Layout outermost() {
        return new Layout(0);
    }

    /** The layout of a function defined in this one. */
    Layout inner() {
        return new Layout(depth + 1);
    }

    int depth() {
        return depth;
    }

    int add() {
        return size++;
    }

    int size() {
        return size;
    }
}
