package io.glyphgate.bench;

import io.glyphgate.bench.Definitions.Scenario;
import io.glyphgate.bench.Definitions.Way;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Measures the proxy beside its peers. Scenarios and systems are interleaved, and in each round another system comes first, so
 * that what else the machine does hits all of them alike.
 */
public final class Bench {
    private static final String USAGE = """
            usage: bench/run [--quick] [--runs N] [--scenarios A,B] [--systems A,B] [--write]
                             [--derender URL,URL [--derender-pid N,N] [--derender-sizes A,B]]
                   bench/run --report [--write]

              --quick          the scenarios and experiments of the goals, three runs: under ten minutes
              --runs N         how often each scenario is played (3 with --quick, else 5)
              --scenarios A,B  only these of bench/scenarios.json, and no experiments
              --systems A,B    only these of bench/systems.json
              --derender URL,URL
                               measures, too, what output modes save: streams of tokens, of which each chunk is sent to a door,
                               /v1/completions/derender or /v1/chat/completions/derender of a server of the model "hermes";
                               of several servers each gets its share of the streams
              --derender-pid N,N
                               their processes, to measure their CPU time
              --derender-sizes A,B
                               only these sizes, streams x tokens such as 8x2048, however long it takes; without it those are
                               left out where the door would fall far behind
              --report         measures nothing, and prints what the last run measured
              --write          puts the tables and the plot into docs/explanation/performance.md
            """;

    private record Options(
            boolean quick,
            int runs,
            Set<String> scenarios,
            Set<String> systems,
            List<URI> derender,
            List<Long> derenderPids,
            List<TwoSteps.Size> derenderSizes,
            boolean report,
            boolean write) {
        static Options of(String[] args) {
            boolean quick = false;
            boolean report = false;
            boolean write = false;
            int runs = 0;
            Set<String> scenarios = Set.of();
            Set<String> systems = Set.of();
            List<URI> derender = List.of();
            List<Long> derenderPids = List.of();
            List<TwoSteps.Size> derenderSizes = List.of();
            for (int i = 0; i < args.length; i++) {
                switch (args[i]) {
                    case "--quick" -> quick = true;
                    case "--report" -> report = true;
                    case "--write" -> write = true;
                    case "--runs" -> runs = Integer.parseInt(value(args, ++i));
                    case "--scenarios" -> scenarios = Set.copyOf(Arrays.asList(value(args, ++i).split(",")));
                    case "--systems" -> systems = Set.copyOf(Arrays.asList(value(args, ++i).split(",")));
                    case "--derender" -> derender =
                            Arrays.stream(value(args, ++i).split(",")).map(URI::create).toList();
                    case "--derender-pid" -> derenderPids =
                            Arrays.stream(value(args, ++i).split(",")).map(Long::valueOf).toList();
                    case "--derender-sizes" -> derenderSizes =
                            Arrays.stream(value(args, ++i).split(",")).map(TwoSteps.Size::of).toList();
                    default -> throw new IllegalArgumentException("there is no option '" + args[i] + "'");
                }
            }
            return new Options(
                    quick, runs > 0 ? runs : quick ? 3 : 5, scenarios, systems, derender, derenderPids, derenderSizes, report, write);
        }

        private static String value(String[] args, int at) {
            if (at == args.length) {
                throw new IllegalArgumentException(args[at - 1] + " wants a value");
            }
            return args[at];
        }

        boolean plays(Scenario scenario) {
            return scenarios.isEmpty() ? scenario.quick() || !quick : scenarios.contains(scenario.name());
        }

        boolean asks(Way way) {
            return systems.isEmpty() || systems.contains(way.name());
        }
    }

    private final Path root;
    private final Options options;
    private final Path work;
    private final List<Scenario> scenarios;
    private final List<Way> ways;

    private Bench(Path root, Options options) throws IOException {
        this.root = root;
        this.options = options;
        work = Files.createDirectories(root.resolve("bench/target/run"));
        scenarios = Definitions.scenarios(root.resolve("bench"));
        ways = Definitions.ways(root.resolve("bench"));
    }

    /** Runs it. The property {@code glyphgate.root} names the folder of the checkout. */
    public static void main(String[] args) throws IOException {
        Options options;
        try {
            options = Options.of(args);
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage() + "\n\n" + USAGE);
            System.exit(2);
            return;
        }
        Path root = Path.of(System.getProperty("glyphgate.root", ".")).toAbsolutePath().normalize();
        new Bench(root, options).run();
    }

    private void run() throws IOException {
        Path file = work.resolve("results.jsonl");
        double busyBefore = Machine.busy();
        Results results = options.report ? Results.read(file) : measure(file);
        Report report = new Report(results, scenarios, ways);
        System.out.println(report.tables());
        Plot.draw(results, ways, work.resolve("performance.png"));
        if (options.write) {
            Path docs = root.resolve("docs/explanation");
            report.write(docs.resolve("performance.md"), Machine.words());
            Plot.draw(results, ways, docs.resolve("performance.png"));
        }
        System.out.println("goal, measured, ratio, holds|falls short");
        Goals.of(results).forEach(System.out::println);
        System.out.printf(
                Locale.ROOT, "%n%s%nload average before %.1f, after %.1f%n", Machine.words(), busyBefore, Machine.busy());
    }

    private Results measure(Path file) throws IOException {
        long began = System.nanoTime();
        Results results = Results.begin(file);
        try (Scripts scripts = new Scripts();
                Mock mock = new Mock(scripts);
                Peers peers = new Peers(root.resolve("bench/peers"), work, mock.port())) {
            Files.writeString(
                    work.resolve("tokens"),
                    Arrays.stream(scripts.tokens("hermes", 256)).mapToObj(Integer::toString).collect(Collectors.joining(" ")));
            Set<String> installed = peers.installed();
            List<Way> there = new ArrayList<>();
            for (Way way : ways) {
                if (!installed.contains(way.peer())) {
                    say(began, way.name() + " is not measured: it is not installed (see bench/peers)");
                } else if (options.asks(way)) {
                    there.add(way);
                }
            }
            Runner runner = new Runner(mock, peers);
            Experiments experiments = new Experiments(peers, results, ways);
            boolean all = options.scenarios.isEmpty() && options.systems.isEmpty();
            if (all) {
                attempt(began, "start", () -> experiments.start(3));
            }
            for (Way way : List.copyOf(there)) {
                if (!attempt(began, "warm-up of " + way.name(), () -> runner.warm(way))) {
                    there.remove(way);
                }
            }
            for (int round = 0; round < options.runs; round++) {
                for (Scenario scenario : scenarios) {
                    if (options.plays(scenario)) {
                        say(began, "round " + (round + 1) + " of " + options.runs + ": " + scenario.name());
                        play(runner, scenario, there, round, results);
                    }
                }
            }
            if (all) {
                attempt(began, "idle", experiments::idle);
                attempt(began, "a client that stops reading", () -> experiments.stalledReader(3));
                attempt(began, "tokens beside text and messages", () -> experiments.mixed(options.quick ? 1 : 3));
                attempt(began, "many streams, many clients", experiments::many);
                attempt(began, "allocation", () -> experiments.allocation(3));
            }
            if (!options.derender.isEmpty()) {
                attempt(
                        began,
                        "tokens and " + options.derender.getFirst().getPath(),
                        () -> experiments.twoSteps(options.derender, options.derenderPids, options.derenderSizes));
            }
        }
        say(began, "done");
        return results;
    }

    /** What may fail without that the rest is worth less. */
    private interface Attempt {
        void run() throws IOException;
    }

    private static boolean attempt(long began, String what, Attempt attempt) {
        say(began, what);
        try {
            attempt.run();
            return true;
        } catch (IOException | UncheckedIOException e) {
            say(began, what + " failed, and is not counted: " + e.getMessage());
            return false;
        }
    }

    private static void play(Runner runner, Scenario scenario, List<Way> there, int round, Results results) throws IOException {
        List<Way> asked = there.stream().filter(scenario::isFor).toList();
        for (int i = 0; i < asked.size(); i++) {
            results.add(runner.run(asked.get((i + round * 3) % asked.size()), scenario));
        }
    }

    private static void say(long began, String what) {
        System.err.printf("%4d s  %s%n", Duration.ofNanos(System.nanoTime() - began).toSeconds(), what);
    }
}
