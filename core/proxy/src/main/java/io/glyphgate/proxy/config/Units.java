package io.glyphgate.proxy.config;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The units that an amount can have.
 *
 * @param factors how many of the smallest unit each holds, the smallest first
 * @param example an amount as an operator would write it
 */
record Units(Map<String, Long> factors, String example) {
    /** Durations; the smallest unit is a millisecond. */
    static final Units TIME = of("30s", List.of("ms", "s", "m", "h"), List.of(1L, 1_000L, 60_000L, 3_600_000L));
    /** Sizes; the smallest unit is a byte. */
    static final Units SIZE = of("32MiB", List.of("B", "KiB", "MiB", "GiB"), List.of(1L, 1L << 10, 1L << 20, 1L << 30));

    /** Shares; the smallest unit is a hundredth. */
    static final Units SHARE = of("20%", List.of("%"), List.of(1L));

    private static Units of(String example, List<String> names, List<Long> factors) {
        Map<String, Long> ordered = new LinkedHashMap<>();
        for (int i = 0; i < names.size(); i++) {
            ordered.put(names.get(i), factors.get(i));
        }
        return new Units(ordered, example);
    }

    /** The names, the smallest unit first. */
    List<String> names() {
        return List.copyOf(factors.keySet());
    }

    /** An amount of the smallest unit, written in the largest unit that divides it. */
    String shown(long amount) {
        String shown = "";
        for (Map.Entry<String, Long> unit : factors.entrySet()) {
            if (amount % unit.getValue() == 0 && (amount != 0 || shown.isEmpty())) {
                shown = amount / unit.getValue() + unit.getKey();
            }
        }
        return shown;
    }
}
