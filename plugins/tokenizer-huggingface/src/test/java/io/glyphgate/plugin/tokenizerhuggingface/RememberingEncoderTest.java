package io.glyphgate.plugin.tokenizerhuggingface;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.glyphgate.spi.Tokenizer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is remembered gives the same tokens as the whole text. */
class RememberingEncoderTest {
    private static final List<String> WORDS = List.of(
            "Hello", " world", "  two", "\n", "\n\n", " ", "\t", "é", "🛶", "漢字", "<", "<|", "|>", "</s", "[INST", "_", "a.b", "1", "…", "'s",
            "user\nHow are you? ", "x".repeat(300));

    /** An encoder that counts the characters it is given. */
    private static final class Counting implements TextEncoder {
        private final TextEncoder encoder;
        private int characters;

        Counting(TextEncoder encoder) {
            this.encoder = encoder;
        }

        @Override
        public int[] encode(String text, boolean addSpecialTokens) {
            characters += text.length();
            return encoder.encode(text, addSpecialTokens);
        }

        @Override
        public void close() {
            encoder.close();
        }
    }

    private static Cuts cuts(Path folder) throws IOException {
        TokenizerFile file = TokenizerFile.find(folder.toUri());
        return Tokenizers.parsed(file, TokenizerSettings.beside(file)).cuts();
    }

    private static NativeTokenizer library(Path folder) throws IOException {
        return new NativeTokenizer(TokenizerFile.find(folder.toUri()), Optional.empty());
    }

    /** The tokenizers of the project, and those of the system property. */
    static Stream<Path> tokenizers() throws IOException {
        String more = System.getProperty("glyphgate.tokenizers");
        Stream<Path> own = Stream.of("qwen3", "llama2", "qwen3_kimi", "llama2_ernie")
                .map(name -> Tokenizers.folder(name).orElseThrow());
        if (more == null) {
            return own;
        }
        try (Stream<Path> folders = Files.list(Path.of(more))) {
            return Stream.concat(own, folders.toList().stream().filter(RememberingEncoderTest::holdsTokenizerJson).sorted());
        }
    }

    private static boolean holdsTokenizerJson(Path folder) {
        return Stream.of("tokenizer.json", "tokenizer.json.gz").anyMatch(name -> Files.exists(folder.resolve(name)));
    }

    @ParameterizedTest
    @MethodSource("tokenizers")
    void theTokensAreThoseOfTheWholeText(Path folder) throws IOException {
        Random random = new Random(folder.getFileName().toString().hashCode());
        try (Tokenizer tokenizer = new HuggingFaceTokenizerProvider().load(folder.toUri(), Map.of());
                NativeTokenizer library = library(folder);
                RememberingEncoder remembering = new RememberingEncoder(library, cuts(folder), 8_000)) {
            List<String> added = added(tokenizer);
            List<String> messages = new ArrayList<>();
            for (int round = 0; round < 150; round++) {
                StringBuilder text = new StringBuilder();
                for (int i = random.nextInt(12); i >= 0; i--) {
                    text.append(messages.isEmpty() || random.nextInt(3) == 0
                            ? message(random, added, messages)
                            : messages.get(random.nextInt(messages.size())));
                }
                assertThat(remembering.encode(text.toString(), false))
                        .as("round %d: %s", round, text)
                        .isEqualTo(library.encode(text.toString(), false));
            }
        }
    }

    private static String message(Random random, List<String> added, List<String> messages) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(6); i >= 0; i--) {
            text.append(random.nextInt(3) == 0 && !added.isEmpty()
                    ? added.get(random.nextInt(added.size()))
                    : WORDS.get(random.nextInt(WORDS.size())));
        }
        messages.add(text.toString());
        return text.toString();
    }

    /** Tokens that are looked for in the text as they are. */
    private static List<String> added(Tokenizer tokenizer) {
        List<String> added = new ArrayList<>();
        for (int id = 0; id < tokenizer.vocabularySize() && added.size() < 60; id++) {
            if (tokenizer.isSpecial(id)) {
                tokenizer.token(id).ifPresent(added::add);
            }
        }
        Stream.of("<tool_call>", "</think>", "<think>").filter(token -> tokenizer.tokenId(token).isPresent()).forEach(added::add);
        return added;
    }

    @Test
    void onlyWhatIsNewIsTokenized() throws IOException {
        Path folder = Tokenizers.folder("qwen3").orElseThrow();
        Counting library = new Counting(library(folder));
        try (RememberingEncoder encoder = new RememberingEncoder(library, cuts(folder), 1 << 20)) {
            String said = "<|im_start|>system\nYou are kind.<|im_end|>\n<|im_start|>user\n" + "Tell me more. ".repeat(50) + "<|im_end|>\n";
            String more = "<|im_start|>assistant\nNo.<|im_end|>\n<|im_start|>user\nPlease!<|im_end|>\n";
            encoder.encode(said, false);
            assertThat(library.characters).isEqualTo(said.length());
            encoder.encode(said + more, false);
            assertThat(library.characters).isLessThan(said.length() + more.length());
            int before = library.characters;
            assertThat(encoder.encode(said + more, false)).hasSizeGreaterThan(100);
            assertThat(library.characters).isEqualTo(before);
        }
    }

    @Test
    void itForgetsWhatDoesNotFit() throws IOException {
        Path folder = Tokenizers.folder("qwen3").orElseThrow();
        try (RememberingEncoder encoder = new RememberingEncoder(library(folder), cuts(folder), 20_000)) {
            for (int i = 0; i < 200; i++) {
                encoder.encode("<|im_start|>user\n" + ("message " + i + ' ').repeat(30) + "<|im_end|>\n", false);
                assertThat(encoder.used()).isLessThanOrEqualTo(20_000);
            }
            assertThat(encoder.used()).isGreaterThan(10_000);
        }
    }

    @Test
    void noTextIsCutWhereATokenMayTakeWhatStandsBeforeIt() {
        AddedToken end = AddedToken.special("<end>");
        AddedToken stripping = new AddedToken("<mask>", true, false, true, false);
        AddedToken word = new AddedToken("foo", true, false, false, true);
        AddedToken later = new AddedToken("<tool>", false, true, false, false);
        assertThat(Cuts.of(List.of(end, stripping, later), String::length).of("a<end>b<mask>c<tool><end>")).containsExactly(1, 20);
        assertThat(Cuts.of(List.of(end, word), String::length).of("a<end>b")).isEmpty();
    }

    @Test
    void theLongestTokenAtTheFirstPlaceCounts() {
        Cuts cuts = Cuts.of(
                Stream.of("<a>", "<a>b", "b<c>", "<c>").map(AddedToken::special).toList(), String::length);
        assertThat(cuts.of("<a>b<c>x<a<a>")).containsExactly(0, 4, 10);
        assertThat(Cuts.of(List.of(AddedToken.special("<a>")), token -> -1).of("<a>")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"16 MB", "-1", "many", "16GiB"})
    void aSizeThatCannotBeRead(String size) {
        assertThatThrownBy(() -> Options.of(Map.of("prompt-cache", size)))
                .isInstanceOf(IOException.class)
                .hasMessage("the option prompt-cache is \"" + size + "\": write a size such as 16MiB, or 0");
    }

    @Test
    void theSizeOfTheMemory() throws IOException {
        assertThat(Options.of(Map.of()).promptCache()).isEqualTo(16 << 20);
        assertThat(Options.of(Map.of("prompt-cache", "0")).promptCache()).isZero();
        assertThat(Options.of(Map.of("prompt-cache", "64KiB", "stack", "transformers-5")))
                .isEqualTo(new Options(Stack.TRANSFORMERS_5, 64 << 10, Optional.empty()));
    }
}
