package io.glyphgate.plugin.tokenizerhuggingface;

import io.glyphgate.spi.DetokenizerOptions;
import java.util.Arrays;

/** Which tokens of one choice become text. */
final class ShownTokens {
    private final boolean skipSpecial;
    /** Special tokens that are shown although special tokens are skipped. */
    private final int[] kept;

    private ShownTokens(boolean skipSpecial, int[] kept) {
        this.skipSpecial = skipSpecial;
        this.kept = kept;
    }

    static ShownTokens of(Vocabulary vocabulary, DetokenizerOptions options) {
        int[] kept = options.keptTokens().stream()
                .mapToInt(vocabulary.names()::find)
                .filter(id -> id >= 0)
                .toArray();
        return new ShownTokens(options.skipSpecialTokens(), kept);
    }

    static ShownTokens of(boolean skipSpecial) {
        return new ShownTokens(skipSpecial, new int[0]);
    }

    /** These and the given ones. */
    ShownTokens and(int[] others) {
        int[] both = Arrays.copyOf(kept, kept.length + others.length);
        System.arraycopy(others, 0, both, kept.length, others.length);
        return new ShownTokens(skipSpecial, both);
    }

    /** Whether a token adds nothing: it is unknown, or special and not wanted. */
    boolean hides(int id, int kind) {
        return kind == Vocabulary.NONE || (skipSpecial && Vocabulary.isSpecial(kind) && !isKept(id));
    }

    private boolean isKept(int id) {
        for (int other : kept) {
            if (other == id) {
                return true;
            }
        }
        return false;
    }
}
