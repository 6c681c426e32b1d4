package io.glyphgate.plugin.tokenizerhuggingface;

import io.glyphgate.spi.Detokenizer;
import io.glyphgate.spi.DetokenizerOptions;

/** The decoders of SentencePiece vocabularies. */
record PieceDecoder(Vocabulary vocabulary, PieceRules rules) implements TextDecoder {
    @Override
    public Detokenizer detokenizer(DetokenizerOptions options) {
        var detokenizer = new PieceDetokenizer(vocabulary, rules, ShownTokens.of(vocabulary, options));
        detokenizer.prime(options.promptTokenIds());
        return AddedTokensRaw.where(options, vocabulary, detokenizer);
    }

    @Override
    public String decode(int[] tokenIds, boolean skipSpecialTokens) {
        return new PieceDetokenizer(vocabulary, rules, ShownTokens.of(skipSpecialTokens)).whole(tokenIds);
    }
}
