package io.glyphgate.testkit;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Random;

/**
 * Outputs as no model should write them, made by chance: pieces of good outputs and of markers in any order, signs that
 * notations are made of, halves of characters, and good outputs with a few faults.
 *
 * @since 1.0
 */
public final class GarbledOutputs {
    private static final List<String> SIGNS = List.of(
            " ", "  ", "\n", "\n\n", "\t", "\r\n", "\u00a0", "\u2028", "\0", "\u0085", "\"", "'", "\\", "\\\"", "\\n",
            "\\u00e", "\\ud83d", "\\x4", "{", "}", "[", "]", "(", ")", "{}", "[]", "<", ">", "</", "/>", ":", ": ", ",",
            ", ", ";", "=", "`", "```", "|", "#", "-", ".", "0", "1", "-2.5", "1e5", "007", "true", "null", "True",
            "None", "word", "word ", "f", "\ud83d\udea2", "\ud83d", "\udea2", "\u00e9", "e\u0301", "\u4e2d\u6587",
            "\u05d0", "long words of no meaning at all ");
    private static final int MAX_PIECES = 40;
    private static final int MAX_FAULTS = 6;

    private final List<String> samples;
    private final List<String> pieces = new ArrayList<>();
    private final List<String> markers;

    /**
     * A source.
     *
     * @param samples good outputs; possibly none
     * @param markers what the format's markers are
     */
    public GarbledOutputs(Collection<String> samples, Collection<String> markers) {
        this.samples = List.copyOf(samples);
        this.markers = List.copyOf(markers);
        this.samples.forEach(sample -> split(sample, pieces));
    }

    /** Splits a text where words and signs meet. */
    private static void split(String text, List<String> to) {
        int from = 0;
        for (int i = 1; i <= text.length(); i++) {
            if (i == text.length()
                    || Character.isLetterOrDigit(text.charAt(i)) != Character.isLetterOrDigit(text.charAt(i - 1))) {
                to.add(text.substring(from, i));
                from = i;
            }
        }
    }

    /**
     * An output.
     *
     * @param random where the chance comes from
     * @return any text
     */
    public String next(Random random) {
        if (samples.isEmpty() || random.nextInt(3) == 0) {
            return soup(random, MAX_PIECES);
        }
        StringBuilder output = new StringBuilder(sample(random));
        if (random.nextInt(4) == 0) {
            output.setLength(random.nextInt(output.length() + 1));
            output.append(soup(random, 4)).append(tail(random));
        }
        for (int fault = random.nextInt(MAX_FAULTS); fault > 0; fault--) {
            int from = random.nextInt(output.length() + 1);
            int to = Math.min(output.length(), from + random.nextInt(1 + random.nextInt(20)));
            switch (random.nextInt(4)) {
                case 0 -> output.delete(from, to);
                case 1 -> output.insert(to, output.substring(from, to));
                case 2 -> output.setLength(Math.max(from, output.length() / 2));
                default -> output.insert(from, piece(random));
            }
        }
        return output.toString();
    }

    private String sample(Random random) {
        return samples.get(random.nextInt(samples.size()));
    }

    private String tail(Random random) {
        String sample = sample(random);
        return sample.substring(random.nextInt(sample.length() + 1));
    }

    private String soup(Random random, int most) {
        StringBuilder soup = new StringBuilder();
        for (int left = random.nextInt(most); left > 0; left--) {
            soup.append(piece(random));
        }
        return soup.toString();
    }

    private String piece(Random random) {
        return switch (random.nextInt(4)) {
            case 0 -> any(markers, random);
            case 1 -> {
                String marker = any(markers, random);
                int from = random.nextInt(3) > 0 ? 0 : random.nextInt(marker.length() + 1);
                yield marker.substring(from, from + random.nextInt(marker.length() - from + 1));
            }
            case 2 -> any(pieces, random);
            default -> any(SIGNS, random);
        };
    }

    private static String any(List<String> list, Random random) {
        return list.isEmpty() ? any(SIGNS, random) : list.get(random.nextInt(list.size()));
    }
}
