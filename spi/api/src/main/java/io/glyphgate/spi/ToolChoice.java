package io.glyphgate.spi;

/**
 * Whether the model may, must or must not call functions. Source: {@code tool_choice} of a chat request.
 *
 * @param mode the kind of choice
 * @param function the function to call when the mode is {@link Mode#NAMED}, else empty
 * @since 1.0
 */
public record ToolChoice(Mode mode, String function) {
    /** The kinds of choice. */
    public enum Mode {
        /** No calls. */
        NONE,
        /** The model decides. */
        AUTO,
        /** At least one call. */
        REQUIRED,
        /** A call of one given function. */
        NAMED
    }

    /** No calls. */
    public static final ToolChoice NONE = new ToolChoice(Mode.NONE, "");
    /** The model decides. */
    public static final ToolChoice AUTO = new ToolChoice(Mode.AUTO, "");
    /** At least one call. */
    public static final ToolChoice REQUIRED = new ToolChoice(Mode.REQUIRED, "");

    /** Checks that a function is named exactly when the mode asks for one. */
    public ToolChoice {
        if ((mode == Mode.NAMED) == function.isEmpty()) {
            throw new IllegalArgumentException("tool choice " + mode + " with function '" + function + "'");
        }
    }

    /**
     * A call of one given function.
     *
     * @param function its name
     * @return the choice
     */
    public static ToolChoice named(String function) {
        return new ToolChoice(Mode.NAMED, function);
    }
}
