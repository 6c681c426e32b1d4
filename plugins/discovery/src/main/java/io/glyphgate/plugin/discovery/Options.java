package io.glyphgate.plugin.discovery;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The options of a discovery, each taken once. Every fault is an {@link IllegalArgumentException} that names the option. */
final class Options {
    private static final Pattern TIME = Pattern.compile("([0-9]{1,9})(ms|s|m|h)");

    private final Map<String, String> left;

    Options(Map<String, String> options) {
        left = new HashMap<>(options);
    }

    /** An option that must be given. */
    String required(String name, String example) {
        String value = left.remove(name);
        if (value == null || value.isBlank()) {
            throw new IllegalArgumentException(name + " is missing; for example " + name + ": " + example);
        }
        return value;
    }

    /** An option that may be left out. */
    String text(String name, String byDefault) {
        @Nullable String value = left.remove(name);
        return value == null ? byDefault : value;
    }

    /** A port that must be given. */
    int port(String name) {
        String value = required(name, "8000");
        if (!value.matches("[0-9]{1,5}") || Integer.parseInt(value) < 1 || Integer.parseInt(value) > 65535) {
            throw new IllegalArgumentException(name + " is '" + value + "', but must be a number from 1 to 65535");
        }
        return Integer.parseInt(value);
    }

    /** A time that may be left out; at least 100 ms. */
    Duration time(String name, Duration byDefault) {
        @Nullable String value = left.remove(name);
        if (value == null) {
            return byDefault;
        }
        Matcher matcher = TIME.matcher(value.strip());
        if (!matcher.matches()) {
            throw new IllegalArgumentException(name + " is '" + value + "', but must be a number and a unit (ms, s, m, h), such as 10s");
        }
        long amount = Long.parseLong(matcher.group(1));
        Duration time = switch (matcher.group(2)) {
            case "ms" -> Duration.ofMillis(amount);
            case "s" -> Duration.ofSeconds(amount);
            case "m" -> Duration.ofMinutes(amount);
            default -> Duration.ofHours(amount);
        };
        if (time.toMillis() < 100) {
            throw new IllegalArgumentException(name + " is '" + value + "', but must be at least 100ms");
        }
        return time;
    }

    /** Refuses what is left. */
    void requireNoOther(String discovery, String known) {
        if (!left.isEmpty()) {
            throw new IllegalArgumentException("the discovery " + discovery + " has no option "
                    + String.join(", ", new TreeSet<>(left.keySet())) + "; it has " + known);
        }
    }
}
