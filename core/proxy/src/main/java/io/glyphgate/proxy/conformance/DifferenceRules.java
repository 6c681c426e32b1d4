package io.glyphgate.proxy.conformance;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Predicate;

/** The rules of the documentation's page on differences from vLLM, in the order in which they are applied. */
final class DifferenceRules {
    static final List<Rule> ALL = joined(
            ReasoningDifferences.ALL,
            OpenedReasoningDifferences.ALL,
            CallDifferences.ALL,
            CallPartsDifferences.ALL,
            PythonDifferences.ALL,
            KeyValueDifferences.ALL,
            MistralDifferences.ALL,
            HarmonyDifferences.ALL);

    private DifferenceRules() {}

    /** The rules of all lists; a rule that several of them write for their own families stands where its first does. */
    @SafeVarargs
    private static List<Rule> joined(List<Rule>... lists) {
        Map<String, Rule> rules = new LinkedHashMap<>();
        for (List<Rule> list : lists) {
            list.forEach(rule -> rules.merge(rule.id(), rule, DifferenceRules::either));
        }
        return List.copyOf(rules.values());
    }

    private static Rule either(Rule one, Rule other) {
        return new Difference(
                one.id(),
                one.title(),
                golden -> one.appliesTo(golden) || other.appliesTo(golden),
                (golden, answer) -> {
                    Answer first = one.appliesTo(golden) ? one.promise(golden, answer) : answer;
                    return other.appliesTo(golden) ? other.promise(golden, first) : first;
                });
    }

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
