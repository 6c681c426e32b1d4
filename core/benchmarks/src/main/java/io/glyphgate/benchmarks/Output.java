package io.glyphgate.benchmarks;

import io.glyphgate.spi.Tokenizer;

/** What a model of a family writes: a third of the tokens each for reasoning, content and the string of a call. */
public final class Output {
    private static final String WORDS = " It is 7 degrees in Tromsø, the wind comes from the north-east, and the sun may be seen later.";

    private Output() {}

    /**
     * The tokens of an output.
     *
     * @param tokens how many
     * @throws IllegalArgumentException if the family's markers alone are more tokens
     */
    public static int[] of(Family family, int tokens, Tokenizer tokenizer) {
        int[] open = tokenizer.encode(family.open(), false);
        int[] close = tokenizer.encode(family.close(), false);
        int[] callOpen = tokenizer.encode(family.callOpen(), false);
        int[] callClose = tokenizer.encode(family.callClose(), false);
        int[] words = tokenizer.encode(WORDS, false);
        int end = tokenizer.endOfSequence().orElseThrow();
        int left = tokens - open.length - close.length - callOpen.length - callClose.length - 1;
        int fields = (family.close().isEmpty() ? 0 : 1) + (family.content() ? 1 : 0) + (family.callOpen().isEmpty() ? 0 : 1);
        if (left < fields) {
            throw new IllegalArgumentException(tokens + " tokens are too few for an output of " + family.name());
        }
        int[] ids = new int[tokens];
        int at = add(open, ids, 0);
        if (!family.close().isEmpty()) {
            at = fill(words, ids, at, left / fields);
        }
        at = add(close, ids, at);
        int string = family.callOpen().isEmpty() ? 0 : left / fields;
        if (family.content()) {
            at = fill(words, ids, at, tokens - 1 - callOpen.length - callClose.length - string - at);
        }
        at = add(callOpen, ids, at);
        at = fill(words, ids, at, tokens - 1 - callClose.length - at);
        at = add(callClose, ids, at);
        ids[at] = end;
        return ids;
    }

    private static int add(int[] from, int[] to, int at) {
        System.arraycopy(from, 0, to, at, from.length);
        return at + from.length;
    }

    private static int fill(int[] words, int[] to, int at, int count) {
        for (int i = 0; i < count; i++) {
            to[at + i] = words[i % words.length];
        }
        return at + count;
    }
}
