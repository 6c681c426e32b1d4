package io.glyphgate.plugin.tokenizerhuggingface;

import java.io.IOException;
import java.util.List;

/**
 * What the decoders of SentencePiece vocabularies do: {@code Metaspace}, or {@code Replace}, {@code ByteFallback},
 * {@code Fuse} and {@code Strip} in a sequence.
 *
 * @param replacements what is replaced in each token, in this order
 * @param byteFallback whether a token such as {@code <0x0A>} is a byte
 * @param lead what becomes of the start of a text
 * @param leadCharacter the character that {@code lead} takes away
 */
record PieceRules(List<Replacement> replacements, boolean byteFallback, Lead lead, char leadCharacter) {
    /** All places of one text become another. */
    record Replacement(String from, String to) {}

    /** What becomes of the start of a text. */
    enum Lead {
        /** It stays. */
        KEPT,
        /** One {@code leadCharacter} at the start of the text goes. */
        STRIPPED,
        /** Each {@code leadCharacter} of the first token goes, before anything is replaced. */
        FIRST_TOKEN
    }

    /** Writes them. */
    void write(TableWriter out) throws IOException {
        out.list(replacements, replacement -> {
            out.text(replacement.from());
            out.text(replacement.to());
        });
        out.flag(byteFallback);
        out.constant(lead);
        out.number(leadCharacter);
    }

    /** Reads what {@link #write} wrote. */
    static PieceRules read(TableReader in) throws IOException {
        return new PieceRules(
                in.list(() -> new Replacement(in.text(), in.text())),
                in.flag(),
                in.constant(Lead.class),
                (char) in.below(Character.MAX_VALUE + 1));
    }

    /** The text that the first token of all adds under {@link Lead#FIRST_TOKEN}. */
    String firstText(String token) {
        return token.replace(String.valueOf(leadCharacter), "");
    }

    /** Adds a token to a vocabulary. */
    void add(Vocabulary.Builder vocabulary, String token, boolean special, boolean added) {
        String text = token;
        for (Replacement replacement : replacements) {
            text = text.replace(replacement.from(), replacement.to());
        }
        int b = byteFallback ? byteOf(text) : -1;
        if (b >= 0) {
            vocabulary.add(Vocabulary.BYTE, String.valueOf((char) b), special, added);
        } else {
            vocabulary.addText(text, special, added);
        }
    }

    /** The byte that {@code <0xNN>} names, or -1. */
    private static int byteOf(String token) {
        if (token.length() != 6 || !token.startsWith("<0x") || token.charAt(5) != '>') {
            return -1;
        }
        int high = Character.digit(token.charAt(3), 16);
        int low = Character.digit(token.charAt(4), 16);
        return high < 0 || low < 0 ? -1 : (high << 4) | low;
    }
}
