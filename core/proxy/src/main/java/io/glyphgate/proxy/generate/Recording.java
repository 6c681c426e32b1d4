package io.glyphgate.proxy.generate;

import io.glyphgate.proxy.choice.Anomalies;
import io.glyphgate.proxy.choice.EngineFinish;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** What is kept of one choice for the case that something in its output is odd: its anomalies, and its raw tokens. */
final class Recording {
    private final int most;
    private final Anomalies anomalies = new Anomalies();
    private int[] tokenIds = {};
    private int count;
    private int leftOut;
    private @Nullable EngineFinish finish;

    /**
     * A recording.
     *
     * @param most how many tokens it keeps at most; 0 where nobody will ask for them
     */
    Recording(int most) {
        this.most = most;
    }

    /** Takes what the server sent. */
    void add(int[] ids, int length, @Nullable EngineFinish end) {
        finish = end;
        int kept = Math.min(length, most - count);
        if (count + kept > tokenIds.length) {
            tokenIds = Arrays.copyOf(tokenIds, Math.min(most, Math.max(count + kept, Math.max(64, 2 * tokenIds.length))));
        }
        System.arraycopy(ids, 0, tokenIds, count, kept);
        count += kept;
        leftOut += length - kept;
    }

    Anomalies anomalies() {
        return anomalies;
    }

    /** How many tokens were kept. */
    int recorded() {
        return count;
    }

    /** The tokens that were kept: the first ones. */
    int[] tokenIds() {
        return Arrays.copyOf(tokenIds, count);
    }

    /** How many tokens came after those that were kept. */
    int leftOut() {
        return leftOut;
    }

    /** How the server ended the choice; null if it did not. */
    @Nullable EngineFinish finish() {
        return finish;
    }
}
