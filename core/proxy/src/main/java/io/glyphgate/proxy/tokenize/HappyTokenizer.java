package io.glyphgate.proxy.tokenize;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The tokenizer that happy_vLLM makes of a model's own: no special tokens, no space that is not in the text, and tokens that read
 * like the text. It puts a word before the text, and takes the word's tokens away. Source: the behaviour of happy_vLLM 1.2.5.
 */
record HappyTokenizer(Words words) {
    private static final String WORD = "thisisareallybigwordisntit";
    private static final String LETTER = "c";

    /** The tokens of a text. */
    int[] encode(String text) {
        for (int length = WORD.length(); length > 0; length--) {
            String word = WORD.substring(0, length);
            int[] before = words.encode(word, false);
            int[] whole = words.encode(word + text, false);
            if (startsWith(whole, before)) {
                return Arrays.copyOfRange(whole, before.length, whole.length);
            }
            // the end of the word has joined with the start of the text
        }
        return words.encode(text, false);
    }

    private static boolean startsWith(int[] whole, int[] start) {
        return whole.length >= start.length && Arrays.equals(whole, 0, start.length, start, 0, start.length);
    }

    /** The text of tokens. */
    String decode(int[] tokenIds) {
        return decoder().decode(tokenIds);
    }

    /** Makes many texts: the token that stands before each is found once. */
    private Decoder decoder() {
        return new Decoder(words, encode(LETTER)[0]);
    }

    /** Makes texts of tokens. */
    private record Decoder(Words words, int letter) {
        String decode(int[] tokenIds) {
            return decode(tokenIds, 0, tokenIds.length);
        }

        String decode(int[] tokenIds, int from, int to) {
            int[] led = new int[to - from + 1];
            led[0] = letter;
            System.arraycopy(tokenIds, from, led, 1, to - from);
            String text = words.decode(led);
            return text.isEmpty() ? text : text.substring(text.offsetByCodePoints(0, 1));
        }
    }

    /** The text of each token by itself. */
    List<String> tokens(int[] tokenIds) {
        Decoder decoder = decoder();
        List<String> tokens = new ArrayList<>(tokenIds.length);
        for (int i = 0; i < tokenIds.length; i++) {
            tokens.add(decoder.decode(tokenIds, i, i + 1));
        }
        return tokens;
    }

    /**
     * Cuts a text behind separators.
     *
     * @param least how many tokens a chunk has at least, but for the last one
     * @param separators the texts behind which a chunk may end; each counts as its tokens
     */
    List<String> split(String text, long least, List<String> separators) {
        int[] ids = encode(text);
        List<int[]> ends = separators.stream().map(this::encode).toList();
        Decoder decoder = decoder();
        List<String> chunks = new ArrayList<>();
        int from = 0;
        for (int to = 1; to <= ids.length; to++) {
            if (to - from >= least && endsWith(ids, to, ends)) {
                chunks.add(decoder.decode(ids, from, to));
                from = to;
            }
        }
        if (from < ids.length) {
            chunks.add(decoder.decode(ids, from, ids.length));
        }
        return chunks;
    }

    private static boolean endsWith(int[] ids, int to, List<int[]> ends) {
        for (int[] end : ends) {
            if (to >= end.length && Arrays.equals(ids, to - end.length, to, end, 0, end.length)) {
                return true;
            }
        }
        return false;
    }

    /**
     * What of a text a limit cuts off. The text is cut as the model's own tokenizer cuts it into tokens.
     *
     * @param fromLeft whether the start is cut off, not the end
     * @param most how many tokens stay
     * @return empty if the text is short enough
     */
    String cutOff(String text, boolean fromLeft, long most) {
        int[] ids = words.encode(text, false);
        if (ids.length <= most) {
            return "";
        }
        int kept = (int) most;
        return words.decode(
                fromLeft ? Arrays.copyOf(ids, ids.length - kept) : Arrays.copyOfRange(ids, kept, ids.length));
    }
}
