package io.glyphgate.plugin.tokenizerhuggingface;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.glyphgate.spi.Detokenizer;
import io.glyphgate.spi.DetokenizerOptions;
import io.glyphgate.spi.Tokenizer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HuggingFaceTokenizerProviderTest {
    private static final String BYTE_LEVEL = "{\"type\": \"ByteLevel\"}";

    private final HuggingFaceTokenizerProvider provider = new HuggingFaceTokenizerProvider();

    @TempDir
    Path folder;

    @Test
    void aFolderAFileAndACompressedFileAreTheSameTokenizer() throws IOException {
        Path file = SmallVocabulary.write(
                folder, BYTE_LEVEL, List.of("a", "\u0120b"), SmallVocabulary.added(2, "<s>", true));
        Path compressed = folder.resolve("other.json.gz");
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(compressed))) {
            Files.copy(file, out);
        }
        for (Path source : List.of(folder, file, compressed)) {
            try (Tokenizer tokenizer = provider.load(source.toUri(), Map.of())) {
                assertThat(tokenizer.vocabularySize()).isEqualTo(3);
                assertThat(tokenizer.tokenId("\u0120b")).hasValue(1);
                assertThat(tokenizer.tokenId("<s>")).hasValue(2);
                assertThat(tokenizer.tokenId("b")).isEmpty();
                assertThat(tokenizer.isSpecial(2)).isTrue();
                assertThat(tokenizer.isSpecial(1)).isFalse();
                assertThat(tokenizer.decode(new int[] {0, 2, 1}, true)).isEqualTo("a b");
                assertThat(tokenizer.decode(new int[] {0, 2, 1}, false)).isEqualTo("a<s> b");
            }
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "tokenizer.json|{\"model\": {\"vocab\": {\"a\": 0},}}|tokenizer.json: line 1: Unexpected character",
                "tokenizer.json|{\"model\": {\"vocab\": {\"a\": -1}}}|the ID of the token \"a\" is -1",
                "tokenizer.json|{\"model\": {\"vocab\": {\"a\": \"b\"}}}|the ID of the token \"a\" is b",
                "tokenizer.json|{\"model\": 1}|\"model\" is not an object",
                "tokenizer.json|{\"architectures\": [\"A\"]}|it is not a tokenizer.json",
                "tokenizer.json|[1]|it is not a JSON object",
                "tokenizer.json|{\"model\"|Unexpected end-of-input",
                "tekken.json|{\"vocab\": []}|it is not a tekken.json",
                "tekken.json|{\"vocab\": [{\"rank\": 0}]}|token 0 of \"vocab\" has no \"token_bytes\"",
                "tekken.json|{\"special_tokens\": [{}]}|special token 0 has no \"token_str\"",
                "tekken.json|{\"config\": {\"default_vocab_size\": 30, \"default_num_special_tokens\": 20,"
                        + " \"pattern\": \".\"}, \"vocab\": []}|"
                        + "it has 0 tokens and 20 special ones, but \"config\" asks for 10 and 20"
            })
    void aFileThatIsNoTokenizerIsRefusedWithTheReason(String name, String content, String reason) throws IOException {
        Path file = Files.writeString(folder.resolve(name), content);
        assertThatThrownBy(() -> provider.load(file.toUri(), Map.of()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(file.toString())
                .hasMessageContaining(reason);
    }

    @Test
    void whatIsNotThereIsNamed() {
        assertThatThrownBy(() -> provider.load(folder.toUri(), Map.of()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("holds neither tokenizer.json nor tekken.json");
        assertThatThrownBy(() -> provider.load(folder.resolve("none.json").toUri(), Map.of()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("there is no tokenizer file or folder")
                .hasMessageContaining("none.json");
        assertThatThrownBy(() -> provider.load(URI.create("https://example.org/tokenizer.json"), Map.of()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("https://example.org/tokenizer.json is not a file: URI");
    }

    @Test
    void anUnknownOptionIsRefused() {
        assertThatThrownBy(() -> provider.load(folder.toUri(), Map.of("revision", "main")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no option \"revision\"");
    }

    @Test
    void theConfigurationBesideTheFileAddsTokensAndMakesThemSpecial() throws IOException {
        SmallVocabulary.write(
                folder, BYTE_LEVEL, List.of("a", "</s>"), SmallVocabulary.added(2, "<tool>", false));
        Files.writeString(
                folder.resolve("tokenizer_config.json"),
                """
                {"eos_token": "</s>", "additional_special_tokens": ["<tool>", {"content": "<new>"}],
                 "added_tokens_decoder": {"3": {"content": "<late>", "special": true}},
                 "chat_template": "{{ messages }}"}
                """);
        try (Tokenizer tokenizer = provider.load(folder.toUri(), Map.of())) {
            assertThat(tokenizer.vocabularySize()).isEqualTo(5);
            assertThat(tokenizer.isSpecial(1)).as("</s>").isTrue();
            assertThat(tokenizer.isSpecial(2)).as("<tool> was added as an ordinary token").isFalse();
            assertThat(tokenizer.tokenId("<late>")).hasValue(3);
            assertThat(tokenizer.isSpecial(3)).isTrue();
            assertThat(tokenizer.tokenId("<new>")).hasValue(4);
            assertThat(tokenizer.isSpecial(4)).isTrue();
        }
    }

    @Test
    void keptTokensAreTextWhileOtherSpecialTokensAreSkipped() throws IOException {
        SmallVocabulary.write(
                folder,
                BYTE_LEVEL,
                List.of("a"),
                SmallVocabulary.added(1, "<think>", true),
                SmallVocabulary.added(2, "<pad>", true));
        try (Tokenizer tokenizer = provider.load(folder.toUri(), Map.of())) {
            Detokenizer detokenizer = tokenizer.detokenizer(
                    DetokenizerOptions.of(new int[0], true, true, Set.of("<think>", "<not in the vocabulary>")));
            assertThat(text(detokenizer, 1, 0, 2, 0)).isEqualTo("<think>aa");
        }
    }

    /** The library would refuse this file, so it cannot have been asked. */
    @Test
    void detokenizingDoesNotNeedTheNativeLibrary() throws IOException {
        Path file = Files.writeString(
                folder.resolve("tokenizer.json"),
                "{\"model\": {\"type\": \"Unheard\", \"vocab\": {\"a\": 0, \"\u0120b\": 1}}, \"decoder\": "
                        + BYTE_LEVEL + "}");
        try (Tokenizer tokenizer = provider.load(file.toUri(), Map.of())) {
            assertThat(text(tokenizer.detokenizer(DetokenizerOptions.of(new int[0], true, true, Set.of())), 0, 1))
                    .isEqualTo("a b");
            assertThat(tokenizer.decode(new int[] {0, 1}, true)).isEqualTo("a b");
            assertThatThrownBy(() -> tokenizer.encode("a", false))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining(file.toString());
        }
    }

    @Test
    void aDecoderThatIsUnknownHereIsAskedOfTheLibrary() throws IOException {
        SmallVocabulary.write(
                folder,
                "{\"type\": \"WordPiece\", \"prefix\": \"##\", \"cleanup\": true}",
                List.of("walk", "##ing", "home", "."));
        try (Tokenizer tokenizer = provider.load(folder.toUri(), Map.of())) {
            assertThat(tokenizer.decode(new int[] {0, 1, 2, 3}, true)).isEqualTo("walking home.");
            assertThat(text(tokenizer.detokenizer(DetokenizerOptions.of(new int[] {0}, true, true, Set.of())), 1, 2, 3))
                    .isEqualTo("ing home.");
        }
    }

    @Test
    void encodingIsNotCutAtAnyLength() {
        String text = "word ".repeat(20_000);
        Tokenizer tokenizer = Tokenizers.load("qwen3");
        assertThat(tokenizer.decode(tokenizer.encode(text, true), true)).isEqualTo(text);
    }

    @Test
    void specialTokensAreAddedWhereAsked() {
        Tokenizer tokenizer = Tokenizers.load("llama2");
        assertThat(tokenizer.encode("a", true)).startsWith(1).hasSize(tokenizer.encode("a", false).length + 1);
        assertThat(tokenizer.encode("</s>", false)).contains(2);
    }

    private static String text(Detokenizer detokenizer, int... ids) {
        var out = new StringBuilder();
        for (int id : ids) {
            detokenizer.next(id, out);
        }
        return out.toString();
    }
}
