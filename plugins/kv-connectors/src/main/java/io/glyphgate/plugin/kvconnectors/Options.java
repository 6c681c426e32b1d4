package io.glyphgate.plugin.kvconnectors;

import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** The options of a connector. */
final class Options {
    private Options() {}

    /**
     * Refuses options that a connector does not have.
     *
     * @throws IllegalArgumentException if there are any
     */
    static void requireKnown(String connector, Set<String> known, Map<String, String> options) {
        Set<String> unknown = new TreeSet<>(options.keySet());
        unknown.removeAll(known);
        if (!unknown.isEmpty()) {
            throw new IllegalArgumentException(connector + " has "
                    + (known.isEmpty() ? "no options" : "only the options " + new TreeSet<>(known)) + ", remove "
                    + String.join(", ", unknown));
        }
    }

    /**
     * A port.
     *
     * @throws IllegalArgumentException if the option is no port
     */
    static int port(String name, int fallback, Map<String, String> options) {
        String value = options.getOrDefault(name, String.valueOf(fallback));
        try {
            int port = Integer.parseInt(value);
            if (port > 0 && port < 1 << 16) {
                return port;
            }
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(name + " is '" + value + "', which is no number", e);
        }
        throw new IllegalArgumentException(name + " is " + value + ", which is no port; ports are 1 to 65535");
    }
}
