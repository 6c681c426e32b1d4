package io.glyphgate.plugin.poolpolicies;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;

/** The options of one policy; each is taken once, and what is left over is refused. */
final class Options {
    private final String policy;
    private final Map<String, String> left;

    private Options(String policy, Map<String, String> options) {
        this.policy = policy;
        left = new HashMap<>(options);
    }

    /** The options of a policy. */
    static Options of(String policy, Map<String, String> options) {
        return new Options(policy, options);
    }

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

    /** Takes an option that is text. */
    String text(String name, String otherwise) {
        String value = left.remove(name);
        return value == null ? otherwise : value;
    }

    /**
     * Takes an option that is a whole number.
     *
     * @throws IllegalArgumentException if it is none, or out of range
     */
    int whole(String name, int otherwise, int least, int most) {
        String value = left.remove(name);
        if (value == null) {
            return otherwise;
        }
        try {
            int number = Integer.parseInt(value);
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            // said below, as for a number that is out of range
        }
        throw wrong(name, value, "a whole number from " + least + " to " + most);
    }

    /**
     * Takes an option that is a number with a fraction.
     *
     * @throws IllegalArgumentException if it is none, or out of range
     */
    double fraction(String name, double otherwise, double least, double most) {
        String value = left.remove(name);
        if (value == null) {
            return otherwise;
        }
        try {
            double number = Double.parseDouble(value);
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            // said below, as for a number that is out of range
        }
        throw wrong(name, value, "a number from " + least + " to " + most);
    }

    /**
     * Says that all options were taken.
     *
     * @param known the names of those that there are
     * @throws IllegalArgumentException if there are others
     */
    void requireNoOthers(String known) {
        if (!left.isEmpty()) {
            throw new IllegalArgumentException(policy + " has no option " + String.join(", ", new TreeSet<>(left.keySet()))
                    + "; it has " + known);
        }
    }

    private IllegalArgumentException wrong(String name, String value, String expected) {
        return new IllegalArgumentException(policy + ": " + name + " is '" + value + "', but must be " + expected);
    }
}
