package io.glyphgate.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.function.ToDoubleFunction;

/** The goals, and what was measured against each of them. */
final class Goals {
    private static final List<String> PACED = List.of("paced-8", "paced-32", "paced-128");
    private static final ToDoubleFunction<Measured> CPU = Measured::cpuMicros;

    /**
     * One goal.
     *
     * @param goal what was aimed at
     * @param measured what came out
     * @param ratio the measured value as a share of the one aimed at: up to 1 is good; not a number if nothing was measured
     */
    record Line(String goal, String measured, double ratio) {
        /** What came of it. */
        String verdict() {
            if (Double.isNaN(ratio)) {
                return "not measured";
            }
            return ratio <= 1 ? "holds" : format("falls short by %.0f %%", Math.max(1, (ratio - 1) * 100));
        }

        @Override
        public String toString() {
            return goal + ", " + measured + ", " + (Double.isNaN(ratio) ? "-" : format("%.2f", ratio)) + ", " + verdict();
        }
    }

    private final Results results;
    private final List<Line> lines = new ArrayList<>();

    private Goals(Results results) {
        this.results = results;
    }

    /** Holds the results against all goals. */
    static List<Line> of(Results results) {
        Goals goals = new Goals(results);
        for (String way : List.of("text", "derender", "chat")) {
            goals.share(way, "smg", "SMG's passing on", 0.6);
            goals.share(way, "vllm-rs chat", "vLLM's Rust frontend at chat", 0.8);
        }
        goals.share("tokens", "vllm-router", "vllm-router", 0.75);
        goals.share("tokens", "nginx", "nginx", 1.3);
        for (String way : List.of("text", "derender")) {
            goals.translation(way);
        }
        goals.batch();
        for (String way : List.of("tokens", "text")) {
            // Not even a byte in a hundred tokens: buffers that grow now and then are in it.
            goals.most("bytes allocated a token, " + way + ": 0", "allocated." + way, 1, "%.2f B");
        }
        goals.most("bytes allocated a token, derender: < 200", "allocated.derender", 200, "%.1f B");
        goals.most("idle CPU < 0.5 % of a core", "idle.percent", 0.5, "%.2f %%");
        goals.memory();
        goals.most("ready in < 1.5 s with a cached vocabulary", "start.seconds", 1.5, "%.2f s");
        for (String way : List.of("text", "derender", "derender:coder", "derender:python")) {
            goals.flat(way);
        }
        goals.streams();
        goals.most("10,000 idle clients: < 1 GiB more", "many.clients-growth", 1073.7, "%.0f MB");
        goals.stall();
        return goals.lines;
    }

    private static String format(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }

    private void share(String way, String peer, String peerName, double goal) {
        StringBuilder measured = new StringBuilder();
        double worst = Double.NaN;
        for (String scenario : PACED) {
            OptionalDouble own = results.median(scenario, way, CPU);
            OptionalDouble other = results.median(scenario, peer, CPU);
            if (own.isPresent() && other.isPresent()) {
                double share = own.getAsDouble() / other.getAsDouble();
                measured.append(measured.isEmpty() ? "" : "; ")
                        .append(format("%s: %.0f of %.0f us = %.2f", scenario.substring(6), own.getAsDouble(), other.getAsDouble(), share));
                worst = Double.isNaN(worst) ? share : Math.max(worst, share);
            }
        }
        lines.add(new Line(format("%s <= %.2f x %s", way, goal, peerName), orNone(measured.toString()), worst / goal));
    }

    private static String orNone(String measured) {
        return measured.isEmpty() ? "-" : measured;
    }

    /** What translating costs beside passing on; over all concurrencies, because each difference is small beside its noise. */
    private void translation(String way) {
        StringBuilder measured = new StringBuilder();
        double sum = 0;
        int count = 0;
        for (String scenario : PACED) {
            OptionalDouble with = results.median(scenario, way, CPU);
            OptionalDouble without = results.median(scenario, "tokens", CPU);
            if (with.isPresent() && without.isPresent()) {
                double more = with.getAsDouble() - without.getAsDouble();
                measured.append(measured.isEmpty() ? "" : "; ").append(format("%s: %+.1f us", scenario.substring(6), more));
                sum += more;
                count++;
            }
        }
        double mean = count == 0 ? Double.NaN : sum / count;
        lines.add(new Line(
                way + " <= 3 us a token over tokens", orNone(measured.toString()), Double.isNaN(mean) ? mean : Math.max(0, mean / 3)));
    }

    private void batch() {
        OptionalDouble own = results.median("batch-8", "tokens", CPU);
        OptionalDouble other = results.median("batch-8", "vllm-router", CPU);
        boolean both = own.isPresent() && other.isPresent();
        double share = both ? own.getAsDouble() / other.getAsDouble() : Double.NaN;
        lines.add(new Line(
                "batch <= 1.2 x vllm-router",
                both ? format("%.0f of %.0f us a request = %.2f", own.getAsDouble(), other.getAsDouble(), share) : "-",
                share / 1.2));
    }

    private void most(String goal, String fact, double most, String format) {
        OptionalDouble value = results.fact(fact);
        lines.add(new Line(
                goal,
                value.isPresent() ? format(format, value.getAsDouble()) : "-",
                value.isPresent() ? Math.max(0, value.getAsDouble()) / most : Double.NaN));
    }

    private void memory() {
        OptionalDouble rss = results.fact("rss");
        OptionalDouble full = results.fact("start.rss");
        OptionalDouble bare = results.fact("bare.rss");
        if (rss.isEmpty() || full.isEmpty() || bare.isEmpty()) {
            lines.add(new Line("RSS <= 150 MB + vocabularies", "-", Double.NaN));
            return;
        }
        double vocabularies = Math.max(0, full.getAsDouble() - bare.getAsDouble());
        lines.add(new Line(
                "RSS <= 150 MB + vocabularies",
                format(
                        "%.0f MB after the load, of them %.0f MB for vocabularies (%.0f MB at the start without)",
                        rss.getAsDouble(), vocabularies, bare.getAsDouble()),
                (rss.getAsDouble() - vocabularies) / 150));
    }

    /** The dearest length from 1,000 tokens on against 1,000 tokens; shorter ones are mostly their requests. */
    private void flat(String way) {
        StringBuilder measured = new StringBuilder();
        double at1000 = Double.NaN;
        double worst = Double.NaN;
        for (int length : new int[] {100, 1_000, 10_000, 32_000}) {
            OptionalDouble cost = results.median("length-" + length, way, CPU);
            if (cost.isPresent()) {
                measured.append(measured.isEmpty() ? "" : "; ").append(format("%d: %.1f us", length, cost.getAsDouble()));
                if (length == 1_000) {
                    at1000 = cost.getAsDouble();
                } else if (length > 1_000) {
                    double ratio = cost.getAsDouble() / at1000;
                    worst = Double.isNaN(worst) ? ratio : Math.max(worst, ratio);
                }
            }
        }
        lines.add(new Line(way + ": a token costs the same up to 32,000 (within 20 %)", orNone(measured.toString()), worst / 1.2));
    }

    private void streams() {
        OptionalDouble streams = results.fact("many.streams");
        OptionalDouble growth = results.fact("many.streams-growth");
        boolean known = streams.isPresent() && growth.isPresent();
        double ratio = known ? Math.max(growth.getAsDouble() / 1073.7, 2_000 / Math.max(1, streams.getAsDouble())) : Double.NaN;
        lines.add(new Line(
                "2,000 open streams: < 1 GiB more",
                known ? format("%.0f streams, %.0f MB", streams.getAsDouble(), growth.getAsDouble()) : "-",
                ratio));
    }

    private void stall() {
        OptionalDouble without = results.fact("stall.gap-p99-without");
        OptionalDouble beside = results.fact("stall.gap-p99-beside");
        boolean known = without.isPresent() && beside.isPresent();
        lines.add(new Line(
                "a client that stops reading moves the p99 gap of 128 streams by < 25 %",
                known ? format("%.1f ms without, %.1f ms beside it", without.getAsDouble(), beside.getAsDouble()) : "-",
                known ? beside.getAsDouble() / without.getAsDouble() / 1.25 : Double.NaN));
    }
}
