package io.glyphgate.proxy.config;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/** Finds the name that somebody meant. */
public final class Nearest {
    private record Candidate(String name, int distance) {}

    private Nearest() {}

    /**
     * The known name that is most like a given one.
     *
     * @return empty if none is like it: more than a third of the letters (and more than two) would have to change
     */
    public static Optional<String> to(String given, Collection<String> known) {
        int limit = Math.max(2, given.length() / 3);
        return known.stream()
                .map(name -> new Candidate(name, distance(given, name)))
                .filter(candidate -> candidate.distance <= Math.min(limit, candidate.name.length() - 1))
                .min(Comparator.comparingInt(Candidate::distance).thenComparing(Candidate::name))
                .map(Candidate::name);
    }

    /** What to do about an unknown name: the nearest known one where there is one, and all known ones. */
    public static String hint(String given, Collection<String> known) {
        if (known.isEmpty()) {
            return "there are none";
        }
        List<String> sorted = List.copyOf(new TreeSet<>(known));
        String all = "known: " + String.join(", ", sorted);
        return to(given, sorted).map(name -> "did you mean '" + name + "'? (" + all + ")").orElse(all);
    }

    /** How many letters must be added, removed, changed, or swapped with their neighbour. */
    private static int distance(String a, String b) {
        int[][] cost = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                if (i == 0 || j == 0) {
                    cost[i][j] = i + j;
                    continue;
                }
                int change = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
                cost[i][j] = Math.min(
                        cost[i - 1][j - 1] + change, Math.min(cost[i - 1][j], cost[i][j - 1]) + 1);
                if (i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1)) {
                    cost[i][j] = Math.min(cost[i][j], cost[i - 2][j - 2] + 1);
                }
            }
        }
        return cost[a.length()][b.length()];
    }
}
