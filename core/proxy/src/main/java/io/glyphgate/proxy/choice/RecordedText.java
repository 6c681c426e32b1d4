package io.glyphgate.proxy.choice;

import io.glyphgate.spi.Detokenizer;
import io.glyphgate.spi.DetokenizerOptions;
import io.glyphgate.spi.Tokenizer;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Stands for the tokenizer where the text of each token is known already: recorded, or cut by hand. Its detokenizers
 * give one piece per token, whatever the ID; parsers are told that there is no tokenizer.
 *
 * @param pieces the text of the tokens, in order
 * @param prompt the text of the prompt; possibly empty
 */
public record RecordedText(List<String> pieces, String prompt) implements Tokenizer {
    /** Copies the list. */
    public RecordedText {
        pieces = List.copyOf(pieces);
    }

    @Override
    public int vocabularySize() {
        return pieces.size();
    }

    /** Not supported: recorded text has no vocabulary. */
    @Override
    public int[] encode(String text, boolean addSpecialTokens) {
        throw new UnsupportedOperationException("recorded text has no vocabulary to encode with");
    }

    /** The recorded prompt, the only text whose tokens can be asked for. */
    @Override
    public String decode(int[] tokenIds, boolean skipSpecialTokens) {
        return prompt;
    }

    @Override
    public OptionalInt tokenId(String token) {
        return OptionalInt.empty();
    }

    @Override
    public Optional<String> token(int tokenId) {
        return Optional.empty();
    }

    @Override
    public boolean isSpecial(int tokenId) {
        return false;
    }

    @Override
    public Detokenizer detokenizer(DetokenizerOptions options) {
        return new Detokenizer() {
            private int next;

            @Override
            public void next(int tokenId, StringBuilder out) {
                if (next == pieces.size()) {
                    throw new IllegalStateException("token " + tokenId + " came after the " + next + " recorded ones");
                }
                out.append(pieces.get(next++));
            }
        };
    }

    @Override
    public void close() {}
}
