package io.glyphgate.plugin.tokenizerhuggingface;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.glyphgate.spi.Tokenizer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StackTest {
    private static final String SPACES = "   three spaces first";
    private static final String LLAMA = "{\"tokenizer_class\": \"LlamaTokenizer\", \"legacy\": true%s}";

    @TempDir
    private Path folder;

    private Tokenizer load(String stack, String config) throws IOException {
        Files.copy(
                Tokenizers.folder("llama2").orElseThrow().resolve("tokenizer.json.gz"), folder.resolve("tokenizer.json.gz"));
        Files.writeString(folder.resolve("tokenizer_config.json"), config);
        return new HuggingFaceTokenizerProvider().load(folder.toUri(), Map.of("stack", stack));
    }

    @Test
    void transformers5BuildsLlamaTokenizersAnew() throws IOException {
        try (Tokenizer tokenizer = load("transformers-5", LLAMA.formatted(""))) {
            assertThat(tokenizer.encode(SPACES, true)).containsExactly(1, 259, 1712, 10599, 907);
            assertThat(tokenizer.decode(new int[] {259, 1712, 10599, 907}, false)).isEqualTo("  three spaces first");
        }
    }

    @Test
    void transformers4TakesTheFileAsItIs() throws IOException {
        try (Tokenizer tokenizer = load("transformers-4", LLAMA.formatted(""))) {
            assertThat(tokenizer.encode(SPACES, true)).containsExactly(1, 2287, 1712, 10599, 907);
        }
    }

    @Test
    void transformers5PutsNoSpaceBeforeWhereTheSettingsSayNo() throws IOException {
        try (Tokenizer tokenizer = load("transformers-5", LLAMA.formatted(", \"add_prefix_space\": false"))) {
            assertThat(tokenizer.encode("Hey", false)).isEqualTo(tokenizer.tokenId("Hey").stream().toArray());
            assertThat(tokenizer.decode(new int[] {28705}, false)).isEqualTo(" ");
        }
    }

    @Test
    void otherClassesAreTheFile() throws IOException {
        try (Tokenizer tokenizer = load("transformers-5", "{\"tokenizer_class\": \"PreTrainedTokenizerFast\"}")) {
            assertThat(tokenizer.encode(SPACES, true)).containsExactly(1, 2287, 1712, 10599, 907);
        }
    }

    @Test
    void transformers4CleansTextsUpWhereTheSettingsSaySo() throws IOException {
        List<String> pieces = List.of("It", " is", " n't", " .", " ?", " !", " ,", " ' ", "x", " 's", " 've", " 're", " 'm", " ;");
        Path file = SmallVocabulary.write(
                folder,
                "{\"type\": \"ByteLevel\"}",
                pieces.stream().map(piece -> piece.replace(' ', '\u0120')).toList());
        Files.writeString(folder.resolve("tokenizer_config.json"), "{\"clean_up_tokenization_spaces\": true}");
        int[] all = IntStream.range(0, pieces.size()).toArray();
        try (Tokenizer cleaned = new HuggingFaceTokenizerProvider().load(file.toUri(), Map.of("stack", "transformers-4"));
                Tokenizer asItIs = new HuggingFaceTokenizerProvider().load(file.toUri(), Map.of("stack", "transformers-5"))) {
            assertThat(cleaned.decode(all, false)).isEqualTo("It isn't.?!,'x's've're'm ;");
            assertThat(asItIs.decode(all, false)).isEqualTo(String.join("", pieces));
        }
    }

    @Test
    void theFingerprintIsThatOfTheTokensNotOfTheStack() throws IOException {
        try (Tokenizer tokenizer = load("transformers-5", LLAMA.formatted(""))) {
            assertThat(tokenizer.fingerprint())
                    .isEqualTo(Tokenizers.load("llama2").fingerprint())
                    .isNotEqualTo(Tokenizers.load("llama2_ernie").fingerprint())
                    .hasSize(64);
        }
    }

    @Test
    void anUnknownStackIsRefused() {
        assertThatThrownBy(() -> load("transformers-3", "{}"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("transformers-3")
                .hasMessageContaining("tokenizers, transformers-4, transformers-5");
    }
}
