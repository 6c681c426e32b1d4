package io.glyphgate.proxy.conformance;

/**
 * A deliberate difference from vLLM: for which cases, and what the proxy promises there instead.
 *
 * <p>A rule looks at the request and the output, never at a case's name. Wherever it applies its promise is demanded: a
 * rule that reaches further than the product fails, as does one that promises anything else than what the product
 * gives. Rules are applied one after the other, each to the answer that the ones before left, so that each needs to
 * know its own matter only.
 */
public interface Rule {
    /**
     * The number under which the documentation explains the rule.
     *
     * @return {@code D} and a number, unique
     */
    String id();

    /** What is different, in a few words. */
    String title();

    /** Whether the case is one that the rule is about. */
    boolean appliesTo(GoldenCase golden);

    /**
     * What the proxy promises.
     *
     * @param golden a case that the rule applies to
     * @param answer vLLM's batch answer, as the rules before this one changed it
     * @return the answer to demand; the same one if the rule changes nothing here
     */
    Answer promise(GoldenCase golden, Answer answer);
}
