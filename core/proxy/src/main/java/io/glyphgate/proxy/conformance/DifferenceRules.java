package io.glyphgate.proxy.conformance;

import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The rules of the documentation's page on differences from vLLM, in the order in which they are applied. */
final class DifferenceRules {
    static final List<Rule> ALL = Stream.of(
                    ReasoningDifferences.ALL,
                    OpenedReasoningDifferences.ALL,
                    CallDifferences.ALL,
                    PythonDifferences.ALL,
                    KeyValueDifferences.ALL,
                    HarmonyDifferences.ALL)
            .flatMap(List::stream)
            .toList();

    private DifferenceRules() {}

    /** A rule as data. */
    record Difference(
            String id, String title, Predicate<GoldenCase> about, BiFunction<GoldenCase, Answer, Answer> promised)
            implements Rule {
        @Override
        public boolean appliesTo(GoldenCase golden) {
            return about.test(golden);
        }

        @Override
        public Answer promise(GoldenCase golden, Answer answer) {
            return promised.apply(golden, answer);
        }
    }
}
