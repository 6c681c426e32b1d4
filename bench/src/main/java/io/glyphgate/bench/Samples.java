package io.glyphgate.bench;

import java.util.Arrays;

/** Times in microseconds, of which shares are asked for at the end. */
final class Samples {
    private int[] micros = new int[1024];
    private int count;
    private boolean sorted;

    void add(long nanos) {
        if (count == micros.length) {
            micros = Arrays.copyOf(micros, 2 * count);
        }
        micros[count++] = (int) Math.min(Integer.MAX_VALUE, nanos / 1000);
        sorted = false;
    }

    void addAll(Samples others) {
        for (int i = 0; i < others.count; i++) {
            add(others.micros[i] * 1000L);
        }
    }

    int count() {
        return count;
    }

    /** The value in milliseconds that a share of all is not above; 0 without any. */
    double millis(double share) {
        if (count == 0) {
            return 0;
        }
        if (!sorted) {
            Arrays.sort(micros, 0, count);
            sorted = true;
        }
        return micros[(int) Math.round((count - 1) * share)] / 1000.0;
    }
}
