package io.glyphgate.proxy.conformance;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Consumer;
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
            HarmonyDifferences.ALL);

    private static final Answer NO_ANSWER = new Answer("", "", "", List.of(), "", "", 0);

    private DifferenceRules() {}

    /**
     * The answer that the proxy promises: vLLM's, changed by all rules that apply.
     *
     * @param rules the rules
     * @param golden the case
     * @param used hears of each rule that asks for something else than vLLM gives
     * @return empty if vLLM has no answer and no rule makes one
     */
    static Optional<Answer> promise(List<Rule> rules, GoldenCase golden, Consumer<Rule> used) {
        Answer answer = golden.answer().orElse(NO_ANSWER);
        for (Rule rule : rules) {
            if (rule.appliesTo(golden)) {
                Answer promised = rule.promise(golden, answer);
                if (!answer.differences(promised).isEmpty()) {
                    used.accept(rule);
                }
                answer = promised;
            }
        }
        return answer.equals(NO_ANSWER) ? Optional.empty() : Optional.of(answer);
    }

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
