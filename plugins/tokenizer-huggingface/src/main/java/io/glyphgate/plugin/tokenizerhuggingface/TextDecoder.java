package io.glyphgate.plugin.tokenizerhuggingface;

import io.glyphgate.spi.Detokenizer;
import io.glyphgate.spi.DetokenizerOptions;

/** How a family of tokenizers makes text from tokens. */
interface TextDecoder {
    /** Starts the text of one choice. */
    Detokenizer detokenizer(DetokenizerOptions options);

    /** The text of tokens that are all there. */
    String decode(int[] tokenIds, boolean skipSpecialTokens);
}
