package io.glyphgate.proxy.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.glyphgate.proxy.choice.Choice;
import io.glyphgate.proxy.choice.EngineFinish;
import io.glyphgate.proxy.choice.OutputPlan;
import io.glyphgate.proxy.choice.RecordedText;
import io.glyphgate.proxy.choice.StopStrings;
import io.glyphgate.proxy.plugin.Registry;
import io.glyphgate.proxy.wire.ParseRequest;
import io.glyphgate.spi.CombinedParserProvider;
import io.glyphgate.spi.OutputModeProvider.Need;
import io.glyphgate.spi.ParserProvider;
import io.glyphgate.spi.ReasoningParserProvider;
import io.glyphgate.spi.Tokenizer;
import io.glyphgate.spi.TokenizerProvider;
import io.glyphgate.spi.Tool;
import io.glyphgate.spi.ToolChoice;
import io.glyphgate.spi.ToolParserProvider;
import io.glyphgate.testkit.Cuts;
import io.glyphgate.testkit.FuzzRounds;
import io.glyphgate.testkit.GarbledOutputs;
import io.glyphgate.testkit.Parsed;
import io.glyphgate.testkit.ParserLaws;
import io.glyphgate.testkit.WatchedParser;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Any tokens and any text at all through the whole pipeline, with every pair of parsers and every kind of request:
 * nothing throws, no character of the text is lost on the way to the message, and every cutting gives the same.
 *
 * <p>{@link FuzzRounds} says how to run it for longer. {@code -Dglyphgate.tokenizers=DIR} names a folder with a folder
 * per tokenizer; without it that is the one of the distribution.
 */
class FuzzTest {
    private static final int TEXTS = 1000;
    private static final int TOKENS = 300;
    private static final int WORDS = 1000;
    /** No part of any format, and no escape in any notation. */
    private static final String WORD = "zyx7wv";

    private static final EngineFinish ENDED = new EngineFinish("stop", "");

    private static final int MAX_PARTS = 8;
    private static final int CASES_PER_FAMILY = 40;

    private static Registry registry;
    private static final List<Tokenizer> TOKENIZERS = new ArrayList<>();
    /** Good outputs by the names of the parsers that they were written for. */
    private static final Map<String, Set<String>> SAMPLES = new HashMap<>();

    private static List<Tool> tools;

    @BeforeAll
    static void open() throws IOException, URISyntaxException {
        registry = Registry.of(FuzzTest.class.getClassLoader());
        List<GoldenCase> cases = new ArrayList<>();
        for (String family : Goldens.families()) {
            if (!family.startsWith("detok/")) {
                cases.addAll(Goldens.cases(family, CASES_PER_FAMILY));
            }
        }
        for (GoldenCase golden : cases) {
            Stream.of(golden.reasoningParser(), golden.toolParser())
                    .flatMap(Optional::stream)
                    .forEach(name ->
                            SAMPLES.computeIfAbsent(name, n -> new HashSet<>()).add(golden.text()));
        }
        tools = cases.stream()
                .map(golden -> golden.parseRequest().tools())
                .filter(offered -> !offered.isEmpty())
                .findFirst()
                .orElseThrow();
        Path folder = Path.of(System.getProperty("glyphgate.tokenizers", "../../distribution/src/main/tokenizers"));
        TokenizerProvider provider =
                registry.find(TokenizerProvider.class, "huggingface").orElseThrow();
        try (Stream<Path> folders = Files.list(folder)) {
            for (Path source : folders.filter(Files::isDirectory).sorted().toList()) {
                TOKENIZERS.add(provider.load(source.toUri(), Map.of()));
            }
        }
    }

    @AfterAll
    static void close() {
        TOKENIZERS.forEach(Tokenizer::close);
        registry.close();
    }

    @Test
    void anyTextGivesOneMessageAndLosesNothing() {
        FuzzRounds.run(TEXTS, seed -> {
            Random random = new Random(seed);
            Setup setup = new Setup(random);
            String output = setup.outputs.next(random);
            setup.drawStop(output, random);
            setup.checkOrShrink(
                    Cuts.random(output, random),
                    pieces -> setup.check(
                            new RecordedText(pieces, setup.prompt),
                            new int[] {0},
                            IntStream.range(0, pieces.size()).toArray()));
        });
    }

    @Test
    void anyTokensGiveOneMessageAndLoseNothing() {
        FuzzRounds.run(TOKENS, seed -> {
            Random random = new Random(seed);
            Setup setup = new Setup(random);
            Tokenizer tokenizer = any(TOKENIZERS, random);
            int[] prompt = tokenizer.encode(setup.prompt, false);
            List<Integer> output = tokens(tokenizer, setup.outputs, random);
            setup.drawStop(tokenizer.decode(ints(output), true), random);
            setup.checkOrShrink(output, tokens -> setup.check(tokenizer, prompt, ints(tokens)));
        });
    }

    /**
     * A word that the model wrote is in the message, or the parser has told that something is wrong. That structure is
     * accounted for does not say so: a parser could call anything structure.
     */
    @Test
    void noWordVanishesUnseen() {
        FuzzRounds.run(WORDS, seed -> {
            Random random = new Random(seed);
            Setup setup = new Setup(random);
            StringBuilder output = new StringBuilder(setup.outputs.next(random));
            output.insert(random.nextInt(output.length() + 1), WORD);
            setup.checkOrShrink(Cuts.sized(output.toString(), 1), setup::checkWord);
        });
    }

    /** Tokens of the whole vocabulary, and of text that could be meant. */
    private static List<Integer> tokens(Tokenizer tokenizer, GarbledOutputs outputs, Random random) {
        List<Integer> tokens = new ArrayList<>();
        for (int part = random.nextInt(MAX_PARTS); part >= 0; part--) {
            if (random.nextBoolean()) {
                random.ints(random.nextInt(MAX_PARTS), 0, tokenizer.vocabularySize()).forEach(tokens::add);
            } else {
                for (int token : tokenizer.encode(outputs.next(random), false)) {
                    tokens.add(token);
                }
            }
        }
        return tokens;
    }

    private static int[] ints(List<Integer> list) {
        return list.stream().mapToInt(Integer::intValue).toArray();
    }

    private static <T> T any(List<T> list, Random random) {
        return list.get(random.nextInt(list.size()));
    }

    /** What a round plays its output with. */
    private static final class Setup {
        private static final List<String> ENDS = List.of("stop", "length", "abort", "error");
        private static final List<String> PROMPTS = List.of("", "<think>\n", "<think>\n\n</think>\n\n", "Hi.");
        private static final List<Map<String, Object>> TEMPLATE_ARGUMENTS = List.of(
                Map.of(), Map.of("enable_thinking", false), Map.of("enable_thinking", true), Map.of("thinking", true));

        private final OutputPlan.Parsers parsers;
        private final ParseRequest request;
        private final String prompt;
        private final boolean skipsSpecialTokens;
        private final boolean keepsStop;
        private final EngineFinish finish;
        private final int[] sizes;
        private final GarbledOutputs outputs;
        private StopStrings stop = StopStrings.NONE;

        private Setup(Random random) {
            if (random.nextInt(10) == 0) {
                parsers = new OutputPlan.Parsers(any(CombinedParserProvider.class, random), null, null);
            } else {
                ReasoningParserProvider reasoning =
                        random.nextInt(4) == 0 ? null : any(ReasoningParserProvider.class, random);
                ToolParserProvider tools = random.nextInt(4) == 0 ? null : any(ToolParserProvider.class, random);
                parsers = new OutputPlan.Parsers(null, reasoning, tools);
            }
            request = new ParseRequest(
                    random.nextInt(8) == 0 ? List.of() : tools,
                    toolChoice(random),
                    random.nextInt(8) > 0,
                    random.nextInt(8) > 0,
                    FuzzTest.any(TEMPLATE_ARGUMENTS, random),
                    0);
            prompt = FuzzTest.any(PROMPTS, random);
            skipsSpecialTokens = random.nextBoolean();
            keepsStop = random.nextInt(4) == 0;
            finish = new EngineFinish(FuzzTest.any(ENDS, random), random.nextBoolean() ? "" : null);
            sizes = random.ints(10, 0, 9).toArray();
            sizes[0] = 1;
            Set<String> markers = new TreeSet<>();
            Set<String> samples = new TreeSet<>();
            running().forEach(provider -> {
                markers.addAll(provider.markers());
                names(provider).forEach(name -> samples.addAll(SAMPLES.getOrDefault(name, Set.of())));
            });
            outputs = new GarbledOutputs(samples, markers);
        }

        private static ToolChoice toolChoice(Random random) {
            return switch (random.nextInt(8)) {
                case 0 -> ToolChoice.NONE;
                case 1 -> ToolChoice.REQUIRED;
                case 2 -> ToolChoice.named(FuzzTest.any(tools, random).name());
                default -> ToolChoice.AUTO;
            };
        }

        private static <P extends ParserProvider> P any(Class<P> kind, Random random) {
            return registry.find(kind, FuzzTest.any(List.copyOf(registry.names(kind)), random))
                    .orElseThrow();
        }

        private Stream<ParserProvider> running() {
            return Stream.<@Nullable ParserProvider>of(parsers.combined(), parsers.reasoning(), parsers.tools())
                    .filter(Objects::nonNull);
        }

        private static Stream<String> names(ParserProvider provider) {
            return Stream.concat(Stream.of(provider.name()), provider.aliases().stream().sorted());
        }

        /** Draws stop strings that may well stand in the output. */
        private void drawStop(String output, Random random) {
            if (output.length() > 8 && random.nextInt(4) == 0) {
                int from = random.nextInt(output.length() - 8);
                stop = new StopStrings(
                        List.of(output.substring(from, from + 1 + random.nextInt(7)), "never"),
                        keepsStop,
                        random.nextInt(3));
            }
        }

        private <T> void checkOrShrink(List<T> output, Consumer<List<T>> check) {
            if (breaks(output, check)) {
                List<T> smallest = ParserLaws.shrink(output, shorter -> breaks(shorter, check));
                try {
                    check.accept(smallest);
                } catch (AssertionError broken) {
                    throw new AssertionError(this + "\n  the output, as small as can be: " + smallest, broken);
                }
            }
        }

        private static <T> boolean breaks(List<T> output, Consumer<List<T>> check) {
            try {
                check.accept(output);
                return false;
            } catch (AssertionError broken) {
                return true;
            }
        }

        private void check(Tokenizer tokenizer, int[] promptTokens, int[] tokens) {
            WatchedParsers watched = new WatchedParsers(parsers);
            Cuttings cuttings =
                    new Cuttings(prompt, (used, stops) -> plan(watched.parsers(), used, promptTokens, stops));
            Cuttings.Played whole = cuttings.play(tokenizer, tokens, stop, finish, sizes);
            assertThat(cuttings.problems()).isEmpty();
            WatchedParser first = watched.first();
            WatchedParser last = watched.last();
            Answer answer = whole.answer();
            if (first == null || last == null) {
                assertThat(answer.content()).isEqualTo(whole.text());
                return;
            }
            assertThat(first.given()).isEqualTo(whole.text());
            assertThat(answer.reasoning())
                    .isEqualTo(request.includeReasoning() ? first.seen().parsed().reasoning() : "");
            if (last != first) {
                assertThat(last.given()).isEqualTo(first.seen().parsed().content());
            }
            Parsed parsed = last.seen().parsed();
            assertThat(answer.content()).isEqualTo(parsed.content());
            if (makesJson()) {
                // The output may have ended in the last call.
                assertThat(parsed.calls().stream().limit(Math.max(0, parsed.calls().size() - 1)))
                        .allMatch(call -> new Answer.Call("", call.name(), call.arguments())
                                .value()
                                .isPresent());
            }
        }

        private boolean makesJson() {
            ToolParserProvider tools = parsers.tools();
            return tools != null
                    && request.toolChoice().mode() == ToolChoice.Mode.AUTO
                    && Notations.calls(tools.name()).stream()
                            .allMatch(calls -> calls.traits().contains(Notations.Trait.MADE_JSON));
        }

        private void checkWord(List<String> characters) {
            if (!String.join("", characters).contains(WORD)) {
                return;
            }
            WatchedParsers watched = new WatchedParsers(parsers);
            Choice choice = new Choice(
                    plan(watched.parsers(), new RecordedText(characters, prompt), new int[] {0}, StopStrings.NONE));
            choice.accept(IntStream.range(0, characters.size()).toArray(), characters.size(), ENDED);
            WatchedParser first = watched.first();
            WatchedParser last = watched.last();
            if (first != null
                    && last != null
                    && first.seen().anomalies().isEmpty()
                    && last.seen().anomalies().isEmpty()) {
                assertThat(first.seen().parsed() + " " + last.seen().parsed()).contains(WORD);
            }
        }

        private OutputPlan plan(OutputPlan.Parsers used, Tokenizer tokenizer, int[] promptTokens, StopStrings stops) {
            return new OutputPlan(
                    "fuzz",
                    Set.of(Need.TEXT, Need.MESSAGE),
                    tokenizer,
                    used,
                    promptTokens,
                    skipsSpecialTokens,
                    true,
                    stops,
                    keepsStop,
                    request);
        }

        @Override
        public String toString() {
            return running().map(ParserProvider::name).toList() + ", " + request.toolChoice() + ", "
                    + request.tools().size() + " functions, " + request.chatTemplateArguments() + ", the prompt <"
                    + prompt + ">, " + stop.strings() + ", " + finish;
        }
    }
}
