package io.glyphgate.plugin.tokenizerhuggingface;

import io.glyphgate.spi.Detokenizer;
import io.glyphgate.spi.DetokenizerOptions;

/**
 * What transformers 4 does to a decoded text under {@code clean_up_tokenization_spaces}: it takes away the space before
 * punctuation and English contractions. Streams are as they are, because vLLM's are.
 */
record CleanedDecoder(TextDecoder decoder) implements TextDecoder {
    /** In this order; each is what stays behind the space that goes. */
    private static final String[] KEPT = {".", "?", "!", ",", "n't", "'m", "'s", "'ve", "'re"};

    @Override
    public Detokenizer detokenizer(DetokenizerOptions options) {
        return decoder.detokenizer(options);
    }

    @Override
    public String decode(int[] tokenIds, boolean skipSpecialTokens) {
        String text = decoder.decode(tokenIds, skipSpecialTokens);
        for (String kept : KEPT) {
            if (kept.equals("n't")) {
                text = text.replace(" ' ", "'"); // the one rule that takes both spaces, between punctuation and contractions
            }
            text = text.replace(" " + kept, kept);
        }
        return text;
    }
}
