package io.glyphgate.testkit;

import io.glyphgate.spi.ChoiceParser;
import io.glyphgate.spi.DeltaSink;
import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.TokenDelta;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * What a parser must keep to for any output at all: it does not throw, tells of each character once and in order, makes
 * no more of an output than is in it, adds nothing to a call behind what it has shown since, and gives the same however
 * the output is cut.
 *
 * @since 1.0
 */
public final class ParserLaws {
    private static final int RANDOM_CUTS = 4;
    private static final List<FinishReason> REASONS = List.of(FinishReason.values());

    private ParserLaws() {}

    /** All that must not depend on the cutting. */
    private record Outcome(Parsed parsed, String fields, List<String> anomalies) {
        private static Outcome of(Recorder out) {
            return new Outcome(out.parsed(), out.fields(), out.anomalies());
        }
    }

    /**
     * Runs a parser over an output.
     *
     * @param parser a new parser
     * @param pieces the output, cut
     * @param reason why it ends
     * @return what came of it
     * @throws AssertionError if the parser threw, or did not account for the output
     */
    public static Recorder run(ChoiceParser parser, List<String> pieces, FinishReason reason) {
        WatchedParser watched = new WatchedParser(parser);
        Recorder out = new Recorder();
        String current = "";
        try {
            for (String piece : pieces) {
                current = piece;
                watched.accept(TokenDelta.of(piece), out);
            }
            current = "the end";
            watched.finish(reason, out);
        } catch (RuntimeException | StackOverflowError e) {
            throw new AssertionError(
                    "No input may make a parser throw, but at <" + current + "> of " + pieces + " this one did", e);
        }
        return out;
    }

    /**
     * Checks the laws on one output: given at once, character by character in turn with another, and in a few cuts made
     * by chance.
     *
     * @param parsers makes a new parser
     * @param output the output
     * @param reason why it ends
     * @param seed of the chance
     * @return what came of it
     * @throws AssertionError if a law is broken; the message says which
     */
    public static Recorder check(Supplier<? extends ChoiceParser> parsers, String output, FinishReason reason, long seed) {
        Recorder whole = run(parsers.get(), List.of(output), reason);
        checkInTurn(parsers, output, reason, whole);
        Random random = new Random(seed);
        for (int i = 0; i < RANDOM_CUTS; i++) {
            checkSame(parsers, Cuts.random(output, random), reason, whole);
        }
        return whole;
    }

    /** Another parser of the same kind, working in turn on another output, must not matter. */
    private static void checkInTurn(
            Supplier<? extends ChoiceParser> parsers, String output, FinishReason reason, Recorder whole) {
        ChoiceParser other = parsers.get();
        ChoiceParser mine = parsers.get();
        Recorder nowhere = new Recorder();
        int half = output.length() / 2;
        checkSame(
                () -> new ChoiceParser() {
                    private int at;

                    @Override
                    public void accept(TokenDelta delta, DeltaSink out) {
                        mine.accept(delta, out);
                        int from = (half + at++) % output.length();
                        other.accept(TokenDelta.of(output.substring(from, from + 1)), nowhere);
                    }

                    @Override
                    public void finish(FinishReason why, DeltaSink out) {
                        mine.finish(why, out);
                    }
                },
                Cuts.sized(output, 1),
                reason,
                whole);
    }

    /**
     * Checks that a cut output gives what it gives at once: the message, the field of each character, the anomalies.
     *
     * @param parsers makes a new parser
     * @param pieces the output, cut
     * @param reason why it ends
     * @param whole what came of it at once
     * @throws AssertionError if something else comes of it
     */
    public static void checkSame(
            Supplier<? extends ChoiceParser> parsers, List<String> pieces, FinishReason reason, Recorder whole) {
        Outcome cut = Outcome.of(run(parsers.get(), pieces, reason));
        Outcome expected = Outcome.of(whole);
        if (!cut.equals(expected)) {
            throw new AssertionError("The result depends on how the output is cut.\n  at once: " + expected + "\n  cut:     "
                    + cut + "\n  the pieces: " + pieces);
        }
    }

    /**
     * Makes an output shorter as long as something holds for it, to show what matters.
     *
     * @param output the parts of an output for which it holds: its characters, its tokens
     * @param holds what holds, for example that a law is broken
     * @param <T> the type of the parts
     * @return parts for which it holds, and of which none can be left out
     */
    public static <T> List<T> shrink(List<T> output, Predicate<List<T>> holds) {
        List<T> smallest = List.copyOf(output);
        int length = Math.max(1, smallest.size() / 2);
        while (length > 0) {
            int before = smallest.size();
            for (int at = 0; at + length <= smallest.size(); ) {
                List<T> shorter = new ArrayList<>(smallest.subList(0, at));
                shorter.addAll(smallest.subList(at + length, smallest.size()));
                if (holds.test(shorter)) {
                    smallest = shorter;
                } else {
                    at += length;
                }
            }
            // A part that was needed may not be, now that others are gone.
            length = length == 1 && smallest.size() < before ? 1 : length / 2;
        }
        return smallest;
    }

    /**
     * Makes a text shorter, character by character, as {@link #shrink(List, Predicate)} does.
     *
     * @param output a text for which something holds
     * @param holds what holds
     * @return a text for which it holds
     */
    public static String shrink(String output, Predicate<String> holds) {
        return joined(shrink(Cuts.sized(output, 1), characters -> holds.test(joined(characters))));
    }

    private static String joined(List<String> pieces) {
        return String.join("", pieces);
    }

    /**
     * Checks the laws on outputs that are made by chance, in {@link FuzzRounds}. The output of a breach is shown as
     * short as it can be.
     *
     * @param rounds how many rounds there usually are
     * @param outputs makes the outputs
     * @param parsers makes a new parser; is given the seed of the round, with which it may choose what the request says
     * @throws AssertionError if a law is broken
     */
    public static void fuzz(int rounds, GarbledOutputs outputs, Parsers parsers) {
        FuzzRounds.run(rounds, seed -> {
            Random random = new Random(seed);
            String output = outputs.next(random);
            FinishReason reason = REASONS.get(random.nextInt(REASONS.size()));
            Supplier<ChoiceParser> parser = () -> parsers.parser(seed);
            if (breaks(parser, output, reason, seed)) {
                String smallest = shrink(output, shorter -> breaks(parser, shorter, reason, seed));
                check(parser, smallest, reason, seed);
                throw new AssertionError("once a law was broken, and then not, for <" + smallest + ">");
            }
        });
    }

    /** Makes the parsers of {@link #fuzz}. */
    @FunctionalInterface
    public interface Parsers {
        /**
         * A new parser.
         *
         * @param seed the seed of the round; the same seed makes the same parser
         * @return the parser in its first state
         */
        ChoiceParser parser(long seed);
    }

    private static boolean breaks(
            Supplier<? extends ChoiceParser> parsers, String output, FinishReason reason, long seed) {
        try {
            check(parsers, output, reason, seed);
            return false;
        } catch (AssertionError broken) {
            return true;
        }
    }
}
