package io.glyphgate.spi;

/**
 * Writes what an output mode adds to one choice. One instance per choice, used by one thread at a time.
 *
 * @since 1.0
 */
public interface OutputMode {
    /**
     * Writes the mode's fields for one step. For a stream it is called once per event of the choice; for a batch answer it is
     * called once with the whole output, a step that is both {@link ChoiceStep#first()} and {@link ChoiceStep#last()}.
     *
     * @param step what is new; valid only during the call
     * @param out the choice being written: the host has written, or will write, all other fields
     */
    void write(ChoiceStep step, ChoiceWriter out);
}
