package io.glyphgate.plugin.tokenizerhuggingface;

import java.nio.charset.StandardCharsets;
import java.util.PriorityQueue;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * Byte pair encoding of a {@code tekken.json} vocabulary: a text is cut into words, and in each word the two neighbours
 * whose join has the lowest ID become one, until no join is a token. Special tokens that stand in the text stay text,
 * as in mistral-common.
 */
final class TekkenEncoder implements TextEncoder {
    private static final int NOT_FOUND = -1;

    private final TokenNames names;
    private final int specialTokens;
    private final int start;
    private final Pattern words;

    TekkenEncoder(TekkenJson.Contents contents) {
        names = contents.vocabulary().names();
        specialTokens = contents.specialTokens();
        start = names.find("<s>");
        words = Pattern.compile(contents.pattern(), Pattern.UNICODE_CHARACTER_CLASS);
    }

    @Override
    public int[] encode(String text, boolean addSpecialTokens) {
        var ids = IntStream.builder();
        if (addSpecialTokens && start >= 0) {
            ids.add(start);
        }
        Matcher matcher = words.matcher(text);
        while (matcher.find()) {
            encode(matcher.group().getBytes(StandardCharsets.UTF_8), ids);
        }
        return ids.build().toArray();
    }

    private void encode(byte[] word, IntStream.Builder ids) {
        int whole = id(word, 0, word.length);
        if (whole >= 0) {
            ids.add(whole);
            return;
        }
        // next[i]: where the part that starts at i ends; previous[i]: where the part before it starts
        int[] next = new int[word.length];
        int[] previous = new int[word.length];
        var joins = new PriorityQueue<Long>();
        for (int i = 0; i < word.length; i++) {
            next[i] = i + 1;
            previous[i] = i - 1;
        }
        for (int i = 0; i < word.length; i++) {
            offer(word, next, i, joins);
        }
        while (!joins.isEmpty()) {
            long join = joins.remove();
            int left = (int) join;
            // an entry is stale once one of its parts has changed
            if (joined(word, next, left) != (int) (join >>> 32)) {
                continue;
            }
            int right = next[left];
            next[left] = next[right];
            next[right] = NOT_FOUND;
            if (next[left] < word.length) {
                previous[next[left]] = left;
            }
            offer(word, next, left, joins);
            if (previous[left] >= 0) {
                offer(word, next, previous[left], joins);
            }
        }
        for (int i = 0; i < word.length; i = next[i]) {
            ids.add(id(word, i, next[i] - i));
        }
    }

    /** Notes the join of the part at an index with the one after it: lowest ID first, then from left to right. */
    private void offer(byte[] word, int[] next, int left, PriorityQueue<Long> joins) {
        int id = joined(word, next, left);
        if (id >= 0) {
            joins.add(((long) id << 32) | left);
        }
    }

    /**
     * The ID of the part at an index joined with the one after it; -1 if it is none, or there is no such part any more.
     */
    private int joined(byte[] word, int[] next, int left) {
        int right = next[left];
        return right == NOT_FOUND || right == word.length ? NOT_FOUND : id(word, left, next[right] - left);
    }

    /** The ID of a token that is not special, or -1. */
    private int id(byte[] word, int from, int length) {
        int id = names.find(word, from, length);
        return id < specialTokens ? NOT_FOUND : id;
    }

    @Override
    public void close() {
        // nothing but memory of the Java heap
    }
}
