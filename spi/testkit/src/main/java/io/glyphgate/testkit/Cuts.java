package io.glyphgate.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Cuts outputs into pieces, which may end anywhere, also inside a character that is two UTF-16 code units. */
public final class Cuts {
    private static final int LONGEST = 6;

    private Cuts() {}

    /**
     * Cuts a text into pieces whose lengths go round through some numbers. Pieces may be empty.
     *
     * @param text the text, for example an output of a model
     * @param numbers any numbers; if there are none, each piece is one UTF-16 code unit
     * @return the pieces; joined, they are the text
     */
    public static List<String> pieces(String text, List<Byte> numbers) {
        List<String> pieces = new ArrayList<>();
        int at = 0;
        for (int i = 0; at < text.length(); i++) {
            int length = numbers.isEmpty() ? 1 : Math.floorMod(numbers.get(i % numbers.size()), LONGEST);
            // Nothing but zeros must come to an end too.
            boolean stuck = i >= 2 * text.length() + numbers.size();
            int to = Math.min(text.length(), at + (stuck ? 1 : length));
            pieces.add(text.substring(at, to));
            at = to;
        }
        return pieces;
    }

    /**
     * Cuts a text into pieces of one length.
     *
     * @param text the text
     * @param size the length of all pieces but the last, in UTF-16 code units
     * @return the pieces
     */
    public static List<String> sized(String text, int size) {
        List<String> pieces = new ArrayList<>();
        for (int at = 0; at < text.length(); at += size) {
            pieces.add(text.substring(at, Math.min(text.length(), at + size)));
        }
        return pieces;
    }

    /**
     * Cuts a text into pieces by chance, most of them short. Pieces may be empty.
     *
     * @param text the text
     * @param random where the chance comes from
     * @return the pieces
     */
    public static List<String> random(String text, Random random) {
        List<String> pieces = new ArrayList<>();
        for (int at = 0; at < text.length(); ) {
            int to = Math.min(text.length(), at + random.nextInt(1 + random.nextInt(12)));
            pieces.add(text.substring(at, to));
            at = to;
        }
        return pieces;
    }
}
