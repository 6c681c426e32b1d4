package io.glyphgate.plugin.tokenizerhuggingface;

import io.glyphgate.spi.Detokenizer;

/** A detokenizer that keeps the text that a later token could still change, and only that. */
abstract class HoldingDetokenizer implements Detokenizer {
    final Vocabulary vocabulary;
    final ShownTokens shown;
    /** Text that was not given out. */
    final StringBuilder held = new StringBuilder();

    HoldingDetokenizer(Vocabulary vocabulary, ShownTokens shown) {
        this.vocabulary = vocabulary;
        this.shown = shown;
    }

    /** Adds the text of a token that is shown to what is held. */
    abstract void add(int tokenId, int kind);

    /** Whether what is held is text that can be given out. */
    abstract boolean settled();

    /** Counts what is held as given out. */
    abstract void given();

    /** Goes back to where nothing was given out and nothing is held. */
    abstract void restart();

    /**
     * Takes the prompt as {@code DecodeStream} does: its text counts as given out, unless its end is no whole character
     * or U+FFFD. Then nothing counts as given out, and the text of the prompt comes with the first text after it.
     */
    final void prime(int[] prompt) {
        // what comes before a token of whole characters does not matter, unless all of it is held
        int from = lastWhole(prompt);
        addAll(prompt, from);
        if (from > 0 && !settled()) {
            restart();
            addAll(prompt, 0);
        }
        if (settled()) {
            given();
        }
    }

    final void addAll(int[] tokenIds, int from) {
        for (int i = from; i < tokenIds.length; i++) {
            int kind = vocabulary.kind(tokenIds[i]);
            if (!shown.hides(tokenIds[i], kind)) {
                add(tokenIds[i], kind);
            }
        }
    }

    final boolean endsInReplacement() {
        return !held.isEmpty() && held.charAt(held.length() - 1) == Utf8.REPLACEMENT;
    }

    /** The index of the last token that is whole characters by itself; 0 if there is none. */
    private int lastWhole(int[] tokenIds) {
        for (int i = tokenIds.length - 1; i > 0; i--) {
            int kind = vocabulary.kind(tokenIds[i]);
            if (Vocabulary.part(kind) == Vocabulary.WHOLE && !shown.hides(tokenIds[i], kind)) {
                return i;
            }
        }
        return 0;
    }
}
