package io.glyphgate.spi;

/** The delta behind {@link TokenDelta#of}. */
final class FixedTokenDelta implements TokenDelta {
    private final String text;
    private final int[] tokenIds;
    private final int[] textEnds;

    FixedTokenDelta(String text, int[] tokenIds, int[] textEnds) {
        this.text = text;
        this.tokenIds = tokenIds;
        this.textEnds = textEnds;
    }

    @Override
    public String text() {
        return text;
    }

    @Override
    public int tokenCount() {
        return tokenIds.length;
    }

    @Override
    public int tokenId(int index) {
        return tokenIds[index];
    }

    @Override
    public int textEnd(int index) {
        return textEnds[index];
    }

    @Override
    public String toString() {
        return "TokenDelta[" + text + ", " + tokenIds.length + " tokens]";
    }
}
