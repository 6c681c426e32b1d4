package io.glyphgate.proxy.choice;

import io.glyphgate.spi.TokenDelta;
import java.util.Arrays;

/** A delta that is filled, passed on and emptied again and again. */
final class TokenBuffer implements TokenDelta {
    private final StringBuilder text = new StringBuilder();
    private int[] tokenIds = new int[16];
    private int[] textEnds = new int[16];
    private int count;

    void append(CharSequence more, int start, int end) {
        text.append(more, start, end);
    }

    /** Adds a token whose text ends at an offset of the text, which may still have to come. */
    void add(int tokenId, int textEnd) {
        if (count == tokenIds.length) {
            tokenIds = Arrays.copyOf(tokenIds, count * 2);
            textEnds = Arrays.copyOf(textEnds, count * 2);
        }
        tokenIds[count] = tokenId;
        textEnds[count] = textEnd;
        count++;
    }

    boolean isEmpty() {
        return count == 0 && text.isEmpty();
    }

    void clear() {
        text.setLength(0);
        count = 0;
    }

    @Override
    public CharSequence text() {
        return text;
    }

    @Override
    public int tokenCount() {
        return count;
    }

    @Override
    public int tokenId(int index) {
        return tokenIds[index];
    }

    @Override
    public int textEnd(int index) {
        return textEnds[index];
    }
}
