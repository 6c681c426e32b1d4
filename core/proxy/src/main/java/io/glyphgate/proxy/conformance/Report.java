package io.glyphgate.proxy.conformance;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What a conformance run found, family by family. */
public final class Report {
    private final Map<String, Family> families = new LinkedHashMap<>();

    /** The families, in the order of the files. */
    public List<Family> families() {
        return List.copyOf(families.values());
    }

    /** How many cases passed. */
    public int passed() {
        return families.values().stream().mapToInt(Family::passed).sum();
    }

    /** How many cases failed. */
    public int failed() {
        return families.values().stream().mapToInt(family -> family.failures().size()).sum();
    }

    /** How many cases passed in which vLLM contradicts itself, by how they are settled. */
    public int settled(Settled how) {
        return families.values().stream()
                .mapToInt(family -> family.settled().getOrDefault(how, 0))
                .sum();
    }

    Family family(String name) {
        return families.computeIfAbsent(name, Family::new);
    }

    /** The cases of one family. */
    public static final class Family {
        private final String name;
        private final Map<String, Integer> rules = new TreeMap<>();
        private final Map<Settled, Integer> settled = new EnumMap<>(Settled.class);
        private final List<Failure> failures = new ArrayList<>();
        private int passed;
        private int fromTokens;
        private boolean rendered;

        private Family(String name) {
            this.name = name;
        }

        /** Kind and name, for example {@code tools/hermes}. */
        public String name() {
            return name;
        }

        /** How many cases passed. */
        public int passed() {
            return passed;
        }

        /** The cases that failed. */
        public List<Failure> failures() {
            return Collections.unmodifiableList(failures);
        }

        /** How many cases were played from token IDs; the others were played from the recorded text of each token. */
        public int fromTokens() {
            return fromTokens;
        }

        /** By rule, in how many cases it asked for something else than vLLM gives. */
        public Map<String, Integer> rules() {
            return Collections.unmodifiableMap(rules);
        }

        /** How many cases passed in which vLLM contradicts itself, by how they are settled. */
        public Map<Settled, Integer> settled() {
            return Collections.unmodifiableMap(settled);
        }

        void settled(Settled how) {
            settled.merge(how, 1, Integer::sum);
        }

        void played(boolean tokens) {
            if (tokens) {
                fromTokens++;
            }
        }

        void rendered() {
            rendered = true;
        }

        void used(Rule rule) {
            rules.merge(rule.id(), 1, Integer::sum);
        }

        void ended(String caseName, List<String> problems) {
            if (problems.isEmpty()) {
                passed++;
            } else {
                failures.add(new Failure(caseName, List.copyOf(problems)));
            }
        }

        /** The line of the report. */
        @Override
        public String toString() {
            int all = passed + failures.size();
            String source;
            if (rendered) {
                source = "rendered";
            } else if (fromTokens == all) {
                source = "from token IDs";
            } else if (fromTokens == 0) {
                source = "from recorded text";
            } else {
                source = fromTokens + " from token IDs, the others from recorded text";
            }
            StringBuilder line = new StringBuilder(
                    String.format("%-32s %4d passed %4d failed  %s", name, passed, failures.size(), source));
            if (!rules.isEmpty()) {
                line.append("; differences");
                rules.forEach((id, count) -> line.append(' ').append(id).append('×').append(count));
            }
            return line.toString();
        }
    }

    /**
     * A case that failed.
     *
     * @param name its name in its family
     * @param problems what was wrong
     */
    public record Failure(String name, List<String> problems) {}
}
