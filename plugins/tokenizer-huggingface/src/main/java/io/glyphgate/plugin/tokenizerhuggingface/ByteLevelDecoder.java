package io.glyphgate.plugin.tokenizerhuggingface;

import io.glyphgate.spi.Detokenizer;
import io.glyphgate.spi.DetokenizerOptions;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The {@code ByteLevel} decoder: each character of a token stands for a byte. */
record ByteLevelDecoder(Vocabulary vocabulary) implements TextDecoder {
    private static final int[] BYTES = bytes();

    @Override
    public Detokenizer detokenizer(DetokenizerOptions options) {
        var detokenizer = new ByteLevelDetokenizer(vocabulary, ShownTokens.of(vocabulary, options), true);
        detokenizer.prime(options.promptTokenIds());
        return AddedTokensRaw.where(options, vocabulary, detokenizer);
    }

    @Override
    public String decode(int[] tokenIds, boolean skipSpecialTokens) {
        return new ByteLevelDetokenizer(vocabulary, ShownTokens.of(skipSpecialTokens), true).whole(tokenIds);
    }

    /** Adds a token to a vocabulary. A token with a character that stands for no byte is text as it is. */
    static void add(Vocabulary.Builder vocabulary, String token, boolean special, boolean added) {
        byte[] bytes = new byte[token.length()];
        for (int i = 0; i < bytes.length; i++) {
            char c = token.charAt(i);
            int b = c < BYTES.length ? BYTES[c] : -1;
            if (b < 0) {
                vocabulary.addText(token, special, added);
                return;
            }
            bytes[i] = (byte) b;
        }
        addBytes(vocabulary, bytes, special, added);
    }

    /** Adds a token that is bytes to a vocabulary. */
    static void addBytes(Vocabulary.Builder vocabulary, byte[] bytes, boolean special, boolean added) {
        var utf8 = new Utf8();
        var text = new StringBuilder(bytes.length);
        boolean valid = true;
        for (int i = 0; valid && i < bytes.length; i++) {
            valid = utf8.take(bytes[i] & 0xFF, text);
        }
        if (valid && !utf8.partial()) {
            vocabulary.addText(text, special, added);
        } else {
            vocabulary.add(
                    Vocabulary.FRAGMENT, new String(bytes, StandardCharsets.ISO_8859_1), special, added);
        }
    }

    /** Printable Latin-1 characters stand for themselves, the other bytes for U+0100 and up, in order. */
    private static int[] bytes() {
        int[] bytes = new int[0x144];
        Arrays.fill(bytes, -1);
        int next = 0x100;
        for (int b = 0; b < 0x100; b++) {
            boolean itself = (b >= '!' && b <= '~') || (b >= 0xA1 && b <= 0xAC) || b >= 0xAE;
            bytes[itself ? b : next++] = b;
        }
        return bytes;
    }
}
