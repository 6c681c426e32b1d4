package io.glyphgate.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.glyphgate.spi.ChoiceParser;
import io.glyphgate.spi.DeltaSink;
import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.ParseContext;
import io.glyphgate.spi.ParserProvider;
import io.glyphgate.spi.TokenDelta;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.ServiceLoader;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * The laws that every parser keeps. Extend {@link ReasoningParserContract}, {@link ToolParserContract} or {@link
 * CombinedParserContract}; the examples you give are the material.
 */
abstract class ChoiceParserContract {
    private static final int RANDOM_CUTS = 50;
    private static final int FUZZ_ROUNDS = 400;
    private static final String SHIP = "\ud83d\udea2";
    private static final String PLAIN = "plain words of no meaning ";
    private static final int CHUNK = 16;
    private static final int CHUNKS = 65_536;
    private static final int READS_PER_CHARACTER = 8;

    /**
     * The examples.
     *
     * @return several, of every kind that the format knows
     */
    protected abstract List<Example> examples();

    /** The provider under test. */
    abstract ParserProvider parserProvider();

    /** The SPI interface that the service loader is asked for. */
    abstract Class<? extends ParserProvider> service();

    /** A new parser. */
    abstract ChoiceParser parser(ParseContext context);

    /** Checks what a kind of parser must not give out. */
    abstract void checkKind(Parsed parsed);

    @Test
    void isFoundByTheServiceLoader() {
        Class<?> mine = parserProvider().getClass();
        List<Class<?>> found = new ArrayList<>();
        for (ParserProvider each : ServiceLoader.load(service(), mine.getClassLoader())) {
            found.add(each.getClass());
        }
        assertThat(found)
                .as(
                        "providers found by ServiceLoader; is %s named in META-INF/services/%s?",
                        mine.getName(), service().getName())
                .contains(mine);
    }

    @Test
    void hasWellFormedNames() {
        ParserProvider provider = parserProvider();
        assertThat(provider.name()).as("the provider's name").matches("[a-z0-9_-]+");
        assertThat(provider.aliases())
                .as("the provider's aliases")
                .allMatch(alias -> alias.matches("[a-z0-9_-]+"))
                .doesNotContain(provider.name());
        assertThat(provider.markers()).as("the provider's markers").noneMatch(String::isEmpty);
    }

    @Test
    void hasExamples() {
        assertThat(examples()).as("the examples that the laws are checked on").isNotEmpty();
    }

    @TestFactory
    Stream<DynamicTest> givesWhatTheExampleExpects() {
        return each(example -> {
            Recorder whole = run(example, List.of(example.output()));
            checkKind(whole.parsed());
            assertThat(whole.parsed())
                    .as("what came of the output, given at once")
                    .isEqualTo(example.expected());
        });
    }

    @TestFactory
    Stream<DynamicTest> givesTheSameForEveryCut() {
        return each(example -> checkCuts(example, example.output()));
    }

    @TestFactory
    Stream<DynamicTest> survivesBeingCutShortAnywhere() {
        return each(example -> {
            for (int length = 0; length < example.output().length(); length++) {
                String cut = example.output().substring(0, length);
                Example shorter = example.endedBy(FinishReason.LENGTH);
                Recorder whole = run(shorter, List.of(cut));
                checkKind(whole.parsed());
                checkSame(shorter, Cuts.sized(cut, 1), whole);
            }
        });
    }

    @TestFactory
    Stream<DynamicTest> keepsSurrogatePairsThatAreCut() {
        return each(example -> {
            for (int at = 0; at <= example.output().length(); at++) {
                String text = example.output().substring(0, at)
                        + SHIP
                        + example.output().substring(at);
                checkSame(
                        example,
                        List.of(text.substring(0, at + 1), text.substring(at + 1)),
                        run(example, List.of(text)));
            }
        });
    }

    /** {@link FuzzRounds} says how to run it for longer. */
    @Test
    void keepsTheLawsOnGarbledOutput() {
        List<Example> all = examples();
        GarbledOutputs outputs = new GarbledOutputs(
                all.stream().map(Example::output).toList(), parserProvider().markers());
        ParserLaws.fuzz(
                FUZZ_ROUNDS,
                outputs,
                seed -> parser(all.get((int) Math.floorMod(seed, (long) all.size())).context()));
    }

    @TestFactory
    Stream<DynamicTest> sharesNothingBetweenChoices() {
        List<Example> all = examples();
        return each(example -> {
            List<ChoiceParser> parsers = new ArrayList<>();
            List<Recorder> recorders = new ArrayList<>();
            for (Example other : all) {
                parsers.add(parser(other.context()));
                recorders.add(new Recorder());
            }
            ChoiceParser mine = parser(example.context());
            Recorder out = new Recorder();
            int longest = all.stream()
                    .mapToInt(other -> other.output().length())
                    .max()
                    .orElse(0);
            for (int at = 0; at < longest; at++) {
                feed(mine, example.output(), at, out);
                for (int i = 0; i < all.size(); i++) {
                    feed(parsers.get(i), all.get(i).output(), at, recorders.get(i));
                }
            }
            mine.finish(example.reason(), out);
            assertThat(out.parsed())
                    .as("what came of the output while other choices were parsed in turn with it")
                    .isEqualTo(run(example, List.of(example.output())).parsed());
        });
    }

    @TestFactory
    Stream<DynamicTest> mayEndBeforeItBegins() {
        return each(example -> {
            for (FinishReason reason : FinishReason.values()) {
                Recorder out = run(example.endedBy(reason), List.of());
                assertThat(out.consumed()).as("text of an empty output").isEmpty();
                assertThat(out.parsed())
                        .as("what came of an empty output, beside what the parser adds to any")
                        .isEqualTo(new Parsed("", out.added(), List.of()));
            }
        });
    }

    @TestFactory
    Stream<DynamicTest> holdsBackNoMoreThanAMarker() {
        int longest = parserProvider().markers().stream()
                .mapToInt(String::length)
                .max()
                .orElse(0);
        return each(example -> {
            ChoiceParser parser = parser(example.context());
            Recorder out = new Recorder();
            String text = PLAIN.repeat(20);
            for (int at = 0; at < text.length(); at++) {
                feed(parser, text, at, out);
                assertThat(at + 1 - out.consumed().length())
                        .as("characters held back after <%s>, none of which starts a marker", text.substring(0, at + 1))
                        .isLessThanOrEqualTo(longest + 1);
            }
        });
    }

    @TestFactory
    Stream<DynamicTest> costsTheSameAtEveryLength() {
        return each(example -> {
            ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
            ChoiceParser parser = parser(example.context());
            CountedText text = new CountedText();
            TokenDelta delta = new TextDelta(text);
            DeltaSink nowhere = new Nowhere();
            long first = 0;
            long second = 0;
            for (int half = 0; half < 2; half++) {
                long before = threads.getCurrentThreadAllocatedBytes();
                for (int i = 0; i < CHUNKS / 2; i++) {
                    parser.accept(delta, nowhere);
                }
                first = second;
                second = threads.getCurrentThreadAllocatedBytes() - before;
            }
            parser.finish(FinishReason.STOP, nowhere);
            assertThat(text.reads)
                    .as("how often characters of a delta were read, for 1 MB without a marker")
                    .isLessThanOrEqualTo((long) READS_PER_CHARACTER * CHUNK * CHUNKS);
            assertThat(second)
                    .as("bytes allocated for the second half of 1 MB without a marker; the first half took %d", first)
                    .isLessThanOrEqualTo(2 * first + CHUNKS);
        });
    }

    private Stream<DynamicTest> each(Consumer<Example> law) {
        List<Example> all = examples();
        return IntStream.range(0, all.size())
                .mapToObj(i -> DynamicTest.dynamicTest(
                        "example " + i + ": " + oneLine(all.get(i).output()), () -> law.accept(all.get(i))));
    }

    private void checkCuts(Example example, String output) {
        Recorder whole = run(example, List.of(output));
        for (int size = 1; size <= output.length(); size++) {
            checkSame(example, Cuts.sized(output, size), whole);
        }
        for (int seed = 0; seed < RANDOM_CUTS; seed++) {
            checkSame(example, Cuts.random(output, new Random(seed)), whole);
        }
    }

    private void checkSame(Example example, List<String> pieces, Recorder whole) {
        ParserLaws.checkSame(() -> parser(example.context()), pieces, example.reason(), whole);
    }

    private Recorder run(Example example, List<String> pieces) {
        return ParserLaws.run(parser(example.context()), pieces, example.reason());
    }

    private static void feed(ChoiceParser parser, String output, int at, Recorder out) {
        if (at < output.length()) {
            parser.accept(TokenDelta.of(output.substring(at, at + 1)), out);
        }
    }

    private static String oneLine(String text) {
        String line = text.replace("\n", "\\n");
        return line.length() > 80 ? line.substring(0, 77) + "..." : line;
    }

    /** A piece of plain text that counts how often it is read. */
    private static final class CountedText implements CharSequence {
        private final char[] characters = Arrays.copyOf(PLAIN.toCharArray(), CHUNK);
        private long reads;

        @Override
        public int length() {
            return CHUNK;
        }

        @Override
        public char charAt(int index) {
            reads++;
            return characters[index];
        }

        @Override
        public CharSequence subSequence(int start, int end) {
            reads += end - start;
            return new String(characters, start, end - start);
        }

        @Override
        public String toString() {
            reads += CHUNK;
            return new String(characters);
        }
    }

    private record TextDelta(CharSequence text) implements TokenDelta {
        @Override
        public int tokenCount() {
            return 0;
        }

        @Override
        public int tokenId(int index) {
            throw new IndexOutOfBoundsException(index);
        }

        @Override
        public int textEnd(int index) {
            throw new IndexOutOfBoundsException(index);
        }
    }

    private static final class Nowhere implements DeltaSink {
        @Override
        public void reasoning(CharSequence text) {}

        @Override
        public void content(CharSequence text) {}

        @Override
        public void addedContent(CharSequence text) {}

        @Override
        public void toolCall(String name, @Nullable String id) {}

        @Override
        public void toolArguments(CharSequence json) {}

        @Override
        public void structure(CharSequence text) {}

        @Override
        public void anomaly(String kind) {}
    }
}
