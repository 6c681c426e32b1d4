package io.glyphgate.proxy.choice;

import java.util.Arrays;
import java.util.List;

/**
 * Finds any of several strings in text that comes character by character (Aho-Corasick). A state is a number; it stands
 * for the longest end of the text that is the start of one of the strings. Immutable.
 *
 * <p>Its size is that of the strings together, whatever characters they hold, and a step looks at a constant number of
 * states on average.
 */
final class StopAutomaton {
    /** The state before any text. */
    static final int START = 0;

    private static final int NO_MATCH = -1;
    private static final long FREE = -1;

    /** The longest shorter end of the text that is the start of a string too. */
    private final int[] fallback;
    /** How many characters of text the state stands for. */
    private final int[] depth;
    /** How many characters of text may yet become part of a match. */
    private final int[] open;
    /** The first string, in the order of the list, that is complete in the state. */
    private final int[] match;

    // The edges: an open hash table from state and character to the next state.
    private final long[] edgeKeys;
    private final int[] edgeTargets;

    StopAutomaton(List<String> strings) {
        int characters = strings.stream().mapToInt(String::length).sum();
        fallback = new int[characters + 1];
        depth = new int[characters + 1];
        open = new int[characters + 1];
        match = new int[characters + 1];
        edgeKeys = new long[Integer.highestOneBit(Math.max(characters, 1)) * 4];
        edgeTargets = new int[edgeKeys.length];
        Arrays.fill(match, NO_MATCH);
        Arrays.fill(edgeKeys, FREE);

        int[] parent = new int[characters + 1];
        char[] last = new char[characters + 1];
        boolean[] extended = new boolean[characters + 1];
        int states = 1;
        for (int index = 0; index < strings.size(); index++) {
            String string = strings.get(index);
            if (string.isEmpty()) {
                throw new IllegalArgumentException("stop string " + index + " is empty");
            }
            int state = START;
            for (int i = 0; i < string.length(); i++) {
                char c = string.charAt(i);
                int slot = slot(state, c);
                if (edgeKeys[slot] == FREE) {
                    edgeKeys[slot] = key(state, c);
                    edgeTargets[slot] = states;
                    parent[states] = state;
                    last[states] = c;
                    depth[states] = i + 1;
                    extended[state] = true;
                    states++;
                }
                state = edgeTargets[slot];
            }
            if (match[state] == NO_MATCH) {
                match[state] = index;
            }
        }
        link(states, parent, last, extended);
    }

    /** Fills in, from the shortest states to the longest, what a state takes over from its fallback. */
    private void link(int states, int[] parent, char[] last, boolean[] extended) {
        int[] byDepth = new int[states];
        int deepest = Arrays.stream(depth).max().orElse(0);
        int[] starts = new int[deepest + 2];
        for (int state = 0; state < states; state++) {
            starts[depth[state] + 1]++;
        }
        for (int d = 0; d <= deepest; d++) {
            starts[d + 1] += starts[d];
        }
        for (int state = 0; state < states; state++) {
            byDepth[starts[depth[state]]++] = state;
        }
        for (int i = 1; i < states; i++) {
            int state = byDepth[i];
            if (parent[state] != START) {
                fallback[state] = next(fallback[parent[state]], last[state]);
            }
            int shorter = fallback[state];
            open[state] = extended[state] ? depth[state] : open[shorter];
            if (match[state] == NO_MATCH || (match[shorter] != NO_MATCH && match[shorter] < match[state])) {
                match[state] = match[shorter];
            }
        }
    }

    /** The state after one more character. */
    int next(int state, char c) {
        int from = state;
        while (true) {
            int slot = slot(from, c);
            if (edgeKeys[slot] != FREE) {
                return edgeTargets[slot];
            }
            if (from == START) {
                return START;
            }
            from = fallback[from];
        }
    }

    /**
     * The index of the string that the text ends with, the first of the list if there are several; -1 if there is none.
     */
    int match(int state) {
        return match[state];
    }

    /** How many characters at the end of the text may yet become part of a match. */
    int open(int state) {
        return open[state];
    }

    private int slot(int state, char c) {
        long key = key(state, c);
        int mask = edgeKeys.length - 1;
        int slot = (int) ((key * 0x9E3779B97F4A7C15L) >>> 33) & mask;
        while (edgeKeys[slot] != FREE && edgeKeys[slot] != key) {
            slot = (slot + 1) & mask;
        }
        return slot;
    }

    private static long key(int state, char c) {
        return ((long) state << 16) | c;
    }
}
