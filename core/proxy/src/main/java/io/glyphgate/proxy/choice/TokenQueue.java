package io.glyphgate.proxy.choice;

/** Tokens in order, each with the offset in the whole text at which its own text ends. */
final class TokenQueue {
    private int[] tokenIds = new int[16];
    private int[] ends = new int[16];
    private int head;
    private int size;

    void add(int tokenId, int end) {
        if (size == tokenIds.length) {
            grow();
        }
        int slot = (head + size) & (tokenIds.length - 1);
        tokenIds[slot] = tokenId;
        ends[slot] = end;
        size++;
    }

    boolean isEmpty() {
        return size == 0;
    }

    int headId() {
        return tokenIds[head];
    }

    int headEnd() {
        return ends[head];
    }

    void remove() {
        head = (head + 1) & (tokenIds.length - 1);
        size--;
    }

    private void grow() {
        int[] moreIds = new int[size * 2];
        int[] moreEnds = new int[size * 2];
        for (int i = 0; i < size; i++) {
            int slot = (head + i) & (size - 1);
            moreIds[i] = tokenIds[slot];
            moreEnds[i] = ends[slot];
        }
        tokenIds = moreIds;
        ends = moreEnds;
        head = 0;
    }
}
