package io.glyphgate.jinja.tree;

import io.glyphgate.jinja.Budget;
import org.jspecify.annotations.Nullable;

/** The slots of one run of the template, of a macro, or of a recursive loop. An empty slot is a name that is not set. */
final class Frame {
    private final @Nullable Frame outer;
    private final @Nullable Object[] slots;
    private final Rendering rendering;

    private Frame(@Nullable Frame outer, int size, Rendering rendering) {
        this.outer = outer;
        this.slots = new Object[size];
        this.rendering = rendering;
    }

    /** The frame of the template itself. */
    static Frame outermost(Layout layout, Rendering rendering) {
        return new Frame(null, layout.size(), rendering);
    }

    /** A frame of a function that this frame's code defines. */
    Frame inner(Layout layout) {
        return new Frame(this, layout.size(), rendering);
    }

    Rendering rendering() {
        return rendering;
    }

    Budget budget() {
        return rendering.budget();
    }

    /** The frame some functions further out. */
    Frame outer(int hops) {
        Frame frame = this;
        for (int i = 0; i < hops && frame.outer != null; i++) {
            frame = frame.outer;
        }
        return frame;
    }

    @Nullable Object slot(int index) {
        return slots[index];
    }

    void set(int index, @Nullable Object value) {
        slots[index] = value;
    }
}
