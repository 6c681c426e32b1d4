package io.glyphgate.spi;

/**
 * What one event adds to one choice: a view that the host reuses.
 *
 * @since 1.0
 */
public interface ChoiceStep {
    /**
     * Whether this is the first event of the choice.
     *
     * @return true once
     */
    boolean first();

    /**
     * Whether this is the last event of the choice, the one that carries the finish reason.
     *
     * @return true once
     */
    boolean last();

    /**
     * The tokens and the text that is certain: without what may still be part of a stop string. The text lags behind the
     * tokens while some is held back, so there may be text without tokens; text of earlier tokens ends before that of this
     * step's.
     *
     * @return the delta; its text is empty for a mode that does not need {@link OutputModeProvider.Need#TEXT}
     */
    TokenDelta tokens();

    /**
     * What the parsers made of the text.
     *
     * @return empty for a mode that does not need {@link OutputModeProvider.Need#MESSAGE}
     */
    MessageDelta message();

    /**
     * The finish reason as the engine, or the proxy for a stop string that it matched, gave it.
     *
     * @return for example {@code stop}; empty unless this is the {@linkplain #last() last} step
     */
    String finishReason();
}
