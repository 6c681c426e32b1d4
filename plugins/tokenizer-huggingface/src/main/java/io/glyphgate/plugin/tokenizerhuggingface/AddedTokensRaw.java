package io.glyphgate.plugin.tokenizerhuggingface;

import io.glyphgate.spi.Detokenizer;

/**
 * Text without {@code spaces_between_special_tokens}: an added token that follows another one is its own name, whatever the
 * decoder makes of it.
 */
final class AddedTokensRaw implements Detokenizer {
    private final Vocabulary vocabulary;
    private final Detokenizer detokenizer;
    private boolean afterAdded;

    AddedTokensRaw(Vocabulary vocabulary, Detokenizer detokenizer) {
        this.vocabulary = vocabulary;
        this.detokenizer = detokenizer;
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
