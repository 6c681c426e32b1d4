package io.glyphgate.proxy.tokenize;

import io.glyphgate.spi.InvalidRequestException;
import io.glyphgate.spi.Tokenizer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A model's own tokenizer, wherever it is: in this process, or on a server. */
interface Words {
    /**
     * The tokens of a text.
     *
     * @throws InvalidRequestException if the text holds half a character, which no tokenizer takes
     */
    int[] encode(String text, boolean addSpecialTokens);

    /** The text of tokens, special ones included. */
    String decode(int[] tokenIds);

    /** The tokens as the vocabulary writes them; null for an ID that it does not hold. */
    List<@Nullable String> tokens(int[] tokenIds);

    /** A tokenizer in this process. */
    record Local(Tokenizer tokenizer) implements Words {
        @Override
        public int[] encode(String text, boolean addSpecialTokens) {
            if (hasHalfCharacter(text)) {
                throw new InvalidRequestException("", "The text holds half a character (a lone surrogate), which has no tokens.");
            }
            return tokenizer.encode(text, addSpecialTokens);
        }

        private static boolean hasHalfCharacter(String text) {
            for (int i = 0; i < text.length(); i++) {
                if (Character.isSurrogate(text.charAt(i))) {
                    if (!Character.isHighSurrogate(text.charAt(i))
                            || i + 1 == text.length()
                            || !Character.isLowSurrogate(text.charAt(i + 1))) {
                        return true;
                    }
                    i++;
                }
            }
            return false;
        }

        @Override
        public String decode(int[] tokenIds) {
            return tokenizer.decode(tokenIds, false);
        }

        @Override
        public List<@Nullable String> tokens(int[] tokenIds) {
            List<@Nullable String> tokens = new ArrayList<>(tokenIds.length);
            for (int id : tokenIds) {
                tokens.add(tokenizer.token(id).orElse(null));
            }
            return tokens;
        }
    }
}
