package io.glyphgate.plugin.tokenizerhuggingface;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Remembers the tokens of the messages of conversations: a chat sends all that was said with each turn, and a system prompt comes again
 * and again. What lies between two added tokens is a part; parts that are known are not tokenized again. Used by many threads.
 */
final class RememberingEncoder implements TextEncoder {
    /** A shorter text costs no more than looking it up. */
    private static final int SHORTEST_TEXT = 200;

    /** What a part costs beside its characters and tokens, roughly. */
    private static final int BYTES_PER_PART = 120;

    /** A part may fill one of so many shares of the memory. */
    private static final int SHARES = 8;

    private final TextEncoder library;
    private final Cuts cuts;
    private final long capacity;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, int[]> known = new LinkedHashMap<>(16, 0.75f, true);
    private long used;

    /**
     * An encoder that remembers.
     *
     * @param library tokenizes what is not known
     * @param capacity how many bytes the parts may take together, roughly
     */
    RememberingEncoder(TextEncoder library, Cuts cuts, long capacity) {
        this.library = library;
        this.cuts = cuts;
        this.capacity = capacity;
    }

    @Override
    public int[] encode(String text, boolean addSpecialTokens) {
        if (addSpecialTokens || text.length() < SHORTEST_TEXT) {
            return library.encode(text, addSpecialTokens);
        }
        int[] starts = cuts.of(text);
        if (starts.length == 0) {
            return library.encode(text, false);
        }
        return joined(tokens(parts(text, starts), starts[0] == 0));
    }

    /** The parts of a text; the first one may be the text before the first cut. */
    private static List<String> parts(String text, int[] starts) {
        List<String> parts = new ArrayList<>(starts.length + 1);
        int from = 0;
        for (int start : starts) {
            if (start > from) {
                parts.add(text.substring(from, start));
            }
            from = start;
        }
        parts.add(text.substring(from));
        return parts;
    }

    /** The tokens of all parts; neighbours that are not known are tokenized together. */
    private List<int[]> tokens(List<String> parts, boolean cutAtStart) {
        List<int @Nullable []> remembered = recall(parts);
        List<int[]> tokens = new ArrayList<>();
        int at = 0;
        while (at < parts.size()) {
            int[] ids = remembered.get(at);
            int end = at + 1;
            if (ids == null) {
                while (end < parts.size() && remembered.get(end) == null) {
                    end++;
                }
                List<String> unknown = parts.subList(at, end);
                ids = library.encode(String.join("", unknown), false);
                remember(unknown, ids, at > 0 || cutAtStart);
            }
            tokens.add(ids);
            at = end;
        }
        return tokens;
    }

    private List<int @Nullable []> recall(List<String> parts) {
        lock.lock();
        try {
            List<int @Nullable []> found = new ArrayList<>(parts.size());
            parts.forEach(part -> found.add(known.get(part)));
            return found;
        } finally {
            lock.unlock();
        }
    }

    /** Keeps the tokens of parts, which are those from one token that is cut at to the next. */
    private void remember(List<String> parts, int[] ids, boolean cutAtStart) {
        int[] inside = IntStream.range(cutAtStart ? 1 : 0, ids.length)
                .filter(i -> cuts.at(ids[i]))
                .toArray();
        if (inside.length != parts.size() - 1) {
            return; // a text that gives such a token without being one
        }
        lock.lock();
        try {
            int from = 0;
            for (int i = 0; i < parts.size(); i++) {
                int to = i < inside.length ? inside[i] : ids.length;
                keep(parts.get(i), Arrays.copyOfRange(ids, from, to));
                from = to;
            }
        } finally {
            lock.unlock();
        }
    }

    private void keep(String part, int[] ids) {
        long size = size(part, ids);
        if (size > capacity / SHARES || known.putIfAbsent(part, ids) != null) {
            return;
        }
        used += size;
        Iterator<Map.Entry<String, int[]>> oldest = known.entrySet().iterator();
        while (used > capacity) {
            Map.Entry<String, int[]> entry = oldest.next();
            used -= size(entry.getKey(), entry.getValue());
            oldest.remove();
        }
    }

    private static long size(String part, int[] ids) {
        return BYTES_PER_PART + 2L * part.length() + 4L * ids.length;
    }

    /** How many bytes the parts take, roughly. */
    long used() {
        lock.lock();
        try {
            return used;
        } finally {
            lock.unlock();
        }
    }

    private static int[] joined(List<int[]> parts) {
        int[] all = new int[parts.stream().mapToInt(part -> part.length).sum()];
        int at = 0;
        for (int[] part : parts) {
            System.arraycopy(part, 0, all, at, part.length);
            at += part.length;
        }
        return all;
    }

    @Override
    public void close() {
        library.close();
    }
}
