package io.glyphgate.plugin.poolpolicies;

import java.util.Map;
import java.util.TreeSet;

/** The options of the policies here: none. */
final class Options {
    private Options() {}

    /**
     * Refuses all options.
     *
     * @throws IllegalArgumentException if there are any
     */
    static void requireNone(String policy, Map<String, String> options) {
        if (!options.isEmpty()) {
            throw new IllegalArgumentException(policy + " has no options, remove "
                    + String.join(", ", new TreeSet<>(options.keySet())));
        }
    }
}
