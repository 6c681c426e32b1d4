package io.glyphgate.plugin.tokenizerhuggingface;

import io.glyphgate.spi.Detokenizer;
import io.glyphgate.spi.DetokenizerOptions;

/**
 * Text without {@code spaces_between_special_tokens}: an added token that follows another one is its own name, whatever
 * the decoder makes of it.
 */
final class AddedTokensRaw implements Detokenizer {
    private final Vocabulary vocabulary;
    private final Detokenizer detokenizer;
    private boolean afterAdded;

    private AddedTokensRaw(Vocabulary vocabulary, Detokenizer detokenizer) {
        this.vocabulary = vocabulary;
        this.detokenizer = detokenizer;
    }

    /**
     * The detokenizer, changed if the options ask for it. vLLM looks at the option only where special tokens are shown.
     */
    static Detokenizer where(DetokenizerOptions options, Vocabulary vocabulary, Detokenizer detokenizer) {
        return options.skipSpecialTokens() || options.spacesBetweenSpecialTokens()
                ? detokenizer
                : new AddedTokensRaw(vocabulary, detokenizer);
    }

    @Override
    public void next(int tokenId, StringBuilder out) {
        int before = out.length();
        detokenizer.next(tokenId, out);
        boolean added = Vocabulary.isAdded(vocabulary.kind(tokenId));
        if (added && afterAdded) {
            out.setLength(before);
            out.append(vocabulary.names().text(tokenId));
        }
        afterAdded = added;
    }
}
