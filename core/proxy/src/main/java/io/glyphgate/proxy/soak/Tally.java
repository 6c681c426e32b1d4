package io.glyphgate.proxy.soak;

import io.glyphgate.proxy.soak.Judge.Outcome;
import io.glyphgate.proxy.soak.Judge.Verdict;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What came of the requests, by what went wrong. Used by many threads at once. */
final class Tally {
    private static final int MOST_REASONS = 20;

    private final Map<String, Map<Outcome, Integer>> counts = new TreeMap<>();
    private final List<String> wrongs = new ArrayList<>();
    private long requests;
    private long wrong;

    synchronized void add(Visit visit, Verdict verdict) {
        requests++;
        counts.computeIfAbsent(visit.kind(), kind -> new EnumMap<>(Outcome.class)).merge(verdict.outcome(), 1, Integer::sum);
        if (verdict.outcome() == Outcome.WRONG) {
            wrong++;
            if (wrongs.size() < MOST_REASONS) {
                wrongs.add(verdict.reason());
            }
        }
    }

    synchronized long requests() {
        return requests;
    }

    synchronized long wrong() {
        return wrong;
    }

    /** The first of what was wrong. */
    synchronized List<String> wrongs() {
        return List.copyOf(wrongs);
    }

    /** A table in Markdown. */
    synchronized String table() {
        StringBuilder table = new StringBuilder("""
                | Fault | Requests | Whole | Error | Error event | Client left | Wrong |
                |---|---|---|---|---|---|---|
                """);
        Map<Outcome, Integer> all = new EnumMap<>(Outcome.class);
        counts.forEach((kind, outcomes) -> {
            line("`" + kind + "`", outcomes, table);
            outcomes.forEach((outcome, count) -> all.merge(outcome, count, Integer::sum));
        });
        line("together", all, table);
        return table.toString();
    }

    private static void line(String kind, Map<Outcome, Integer> outcomes, StringBuilder table) {
        table.append("| ").append(kind).append(" | ").append(outcomes.values().stream().mapToInt(Integer::intValue).sum());
        for (Outcome outcome : Outcome.values()) {
            table.append(" | ").append(outcomes.getOrDefault(outcome, 0));
        }
        table.append(" |\n");
    }
}
