package io.glyphgate.proxy.conformance;

import io.glyphgate.proxy.conformance.DifferenceRules.Difference;
import java.util.List;

/** Where calls of bare keys and values differ from vLLM's batch answer. */
final class KeyValueDifferences {
    static final List<Rule> ALL = List.of(
            new Difference(
                    "D72",
                    "The arguments of a call that is cut off stay open (gemma4)",
                    golden -> read(golden) && CallParts.of(golden).cutOff(),
                    CallPartsDifferences::read),
            new Difference(
                    "D73",
                    "In a string only its own end counts (gemma4)",
                    golden -> read(golden)
                            && CallParts.of(golden).calls().stream()
                                    .anyMatch(call -> CallParts.marked(golden, call.arguments())),
                    CallPartsDifferences::read),
            new Difference(
                    "D74",
                    "A call stands whatever is wrong with its keys and values (gemma4)",
                    golden -> read(golden)
                            && (CallParts.of(golden).irregular() || CallPartsDifferences.moreThanVllm(golden)),
                    CallPartsDifferences::read));

    private KeyValueDifferences() {}

    private static boolean read(GoldenCase golden) {
        return KeyValueCalls.written(golden) && OutputParts.callsWanted(golden);
    }
}
