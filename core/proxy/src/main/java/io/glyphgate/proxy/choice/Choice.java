package io.glyphgate.proxy.choice;

import io.glyphgate.spi.ChoiceStep;
import org.jspecify.annotations.Nullable;

/** One choice of one request: tokens in, steps for the output mode out. Used by one thread at a time. */
@SuppressWarnings("DoNotCallSuggester")
public final class Choice {
    /** Starts a choice. */
    public Choice(OutputPlan plan) {
        throw new UnsupportedOperationException();
    }

    /**
     * Takes what the server sent.
     *
     * @param tokenIds the new tokens
     * @param count how many of the array count
     * @param finish how the engine ended the choice; null while it goes on
     * @return how many of the tokens belong to the output; fewer than {@code count} when one of them completed a stop string,
     *     after which {@link #stopString()} tells it and the choice has ended
     */
    public int accept(int[] tokenIds, int count, @Nullable EngineFinish finish) {
        throw new UnsupportedOperationException();
    }

    /** Ends a choice whose server is gone or was told to stop: gives out what is held back. Does nothing if it has ended. */
    public void abort(String finishReason) {
        throw new UnsupportedOperationException();
    }

    /** Whether the choice has ended. */
    public boolean ended() {
        throw new UnsupportedOperationException();
    }

    /** The stop string that the proxy matched, or null. */
    public @Nullable String stopString() {
        throw new UnsupportedOperationException();
    }

    /** How many tokens the choice has. */
    public int tokenCount() {
        throw new UnsupportedOperationException();
    }

    /** How many of the tokens are reasoning. */
    public int reasoningTokenCount() {
        throw new UnsupportedOperationException();
    }

    /** What came since the last call: a view, valid until the next call of any method. */
    public ChoiceStep step() {
        throw new UnsupportedOperationException();
    }
}
