package io.glyphgate.jinja;

/**
 * What one rendering may use, so that no template can hold a thread or the memory for long. Each limit is far above what a
 * prompt needs.
 */
public final class Budget {
    /** How many evaluations, loop rounds and items of new lists one rendering may take. */
    public static final int MAX_STEPS = 5_000_000;

    /** The longest text, in UTF-16 units: the output, or any text on the way to it. */
    public static final int MAX_TEXT = 1 << 24;

    /** How much text may be made on the way, in UTF-16 units, all together. */
    public static final long MAX_TEXT_MADE = 1L << 28;

    /** How deep bodies, evaluations and the values they look into may be nested. */
    public static final int MAX_DEPTH = 500;

    /** The largest integer, in bits. */
    public static final int MAX_INTEGER_BITS = 1 << 14;

    /** How many characters are looked through in one step, as a power of 2. */
    private static final int CHARACTERS_PER_STEP_BITS = 6;

    private int stepsLeft = MAX_STEPS;
    private long textLeft = MAX_TEXT_MADE;
    private int depth;

    /** Takes steps. */
    public void step(long steps) {
        if (steps > stepsLeft) {
            throw new TemplateException("the template takes more than " + MAX_STEPS + " steps");
        }
        stepsLeft -= (int) steps;
    }

    /** Goes one level deeper, which is a step. Each call is followed by {@link #leave} unless the rendering fails. */
    public void enter() {
        step(1);
        if (++depth > MAX_DEPTH) {
            throw new TemplateException("maximum recursion depth exceeded: more than " + MAX_DEPTH + " levels");
        }
    }

    /** Comes one level up. */
    public void leave() {
        depth--;
    }

    /** Takes the steps of looking through a text. */
    public void read(String text) {
        step(text.length() >> CHARACTERS_PER_STEP_BITS);
    }

    /** Refuses a text that has become too long while it is made. */
    public void growing(int length) {
        if (length > MAX_TEXT) {
            throw new TemplateException("the template makes a text of more than " + MAX_TEXT + " characters");
        }
    }

    /** Allows a text of a length before it is made. */
    public void text(long length) {
        growing((int) Math.min(length, Integer.MAX_VALUE));
        if (length > textLeft) {
            throw new TemplateException("the template makes more than " + MAX_TEXT_MADE + " characters of text");
        }
        textLeft -= length;
    }

    /** Allows an integer of a size before it is made. */
    public static void integer(long bits) {
        if (bits > MAX_INTEGER_BITS) {
            throw new TemplateException("the template makes an integer of more than " + MAX_INTEGER_BITS + " bits");
        }
    }
}
