package io.glyphgate.proxy.conformance;

import java.util.List;

/** The rules of the documentation's page on differences from vLLM, in the order in which they are applied. */
final class DifferenceRules {
    static final List<Rule> ALL = List.of();

    private DifferenceRules() {}
}
