package io.glyphgate.plugin.tokenizerhuggingface;

import static org.assertj.core.api.Assertions.assertThat;

import io.glyphgate.spi.Detokenizer;
import io.glyphgate.spi.DetokenizerOptions;
import io.glyphgate.spi.Tokenizer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A vocabulary of ten special tokens, of the 256 bytes, and of a few joins. */
class TekkenTest {
    private static final int TOOL_CALLS = 3;
    private static final int BYTES = 10;
    private static final int JOINS = BYTES + 256;

    @TempDir
    Path folder;

    private Tokenizer tokenizer;

    @BeforeEach
    void load() throws IOException {
        List<String> vocab = new ArrayList<>();
        for (int b = 0; b < 256; b++) {
            vocab.add(token(vocab.size(), new byte[] {(byte) b}));
        }
        for (String join : List.of("ab", "bc", "abc", " ab", "é")) {
            vocab.add(token(vocab.size(), join.getBytes(StandardCharsets.UTF_8)));
        }
        vocab.add(token(vocab.size(), new byte[] {'z'}));
        Files.writeString(
                folder.resolve("tekken.json"),
                """
                {"config": {"pattern": " ?\\\\p{L}+|\\\\s+|.", "default_vocab_size": 271,
                            "default_num_special_tokens": 10},
                 "vocab": [%s],
                 "special_tokens": [%s]}
                """
                        .formatted(
                                String.join(",", vocab),
                                "{\"token_str\": \"<unk>\"}, {\"token_str\": \"<s>\"}, {\"token_str\": \"</s>\"},"
                                        + "{\"token_str\": \"[TOOL_CALLS]\"}, {\"token_str\": \"[THINK]\"}"));
        tokenizer = new HuggingFaceTokenizerProvider().load(folder.toUri(), Map.of());
    }

    @AfterEach
    void close() {
        tokenizer.close();
    }

    private static String token(int rank, byte[] bytes) {
        return "{\"rank\": %d, \"token_bytes\": \"%s\", \"token_str\": null}"
                .formatted(rank, Base64.getEncoder().encodeToString(bytes));
    }

    @Test
    void tokensBeyondTheConfiguredSizeAreNotThere() {
        assertThat(tokenizer.vocabularySize()).isEqualTo(271);
        assertThat(tokenizer.decode(new int[] {271}, false)).isEmpty();
    }

    @Test
    void specialIdsWithoutANameHaveOne() {
        assertThat(tokenizer.tokenId("<SPECIAL_7>")).hasValue(7);
        assertThat(tokenizer.isSpecial(7)).isTrue();
        assertThat(tokenizer.isSpecial(BYTES)).isFalse();
        assertThat(tokenizer.decode(new int[] {7}, false)).isEqualTo("<SPECIAL_7>");
    }

    @Test
    void theJoinOfTheLowestIdComesFirst() {
        // "ab" before "bc", then "abc"
        assertThat(tokenizer.encode("abc", false)).containsExactly(JOINS + 2);
        assertThat(tokenizer.encode("abcbcab", false)).containsExactly(JOINS + 2, JOINS + 1, JOINS);
        assertThat(tokenizer.encode(" abé", true)).containsExactly(1, JOINS + 3, JOINS + 4);
        assertThat(tokenizer.encode("ü", false)).containsExactly(BYTES + 0xC3, BYTES + 0xBC);
        assertThat(tokenizer.encode("", false)).isEmpty();
    }

    @Test
    void aSpecialTokenInTextStaysText() {
        assertThat(tokenizer.encode("<s>", false)).containsExactly(BYTES + '<', BYTES + 's', BYTES + '>');
    }

    @Test
    void aLongWordTakesNoLongerThanItsLength() {
        String word = "ab".repeat(100_000);
        assertThat(tokenizer.encode(word, false)).hasSize(100_000).containsOnly(JOINS);
    }

    @Test
    void fewSpecialTokensAreAlwaysText() {
        int[] ids = {TOOL_CALLS, 2, 4, BYTES + 'a'};
        assertThat(deltas(new int[0], true, Set.of(), ids)).containsExactly("[TOOL_CALLS]", "", "[THINK]", "a");
        assertThat(deltas(new int[0], false, Set.of(), ids)).containsExactly("[TOOL_CALLS]", "", "[THINK]", "a");
        assertThat(deltas(new int[0], true, Set.of("</s>"), ids))
                .containsExactly("[TOOL_CALLS]", "</s>", "[THINK]", "a");
    }

    @Test
    void bytesJoinOnlyWhereSpecialTokensAreSkipped() {
        int[] ids = {BYTES + 0xC3, BYTES + 0xBC, BYTES + 'a'};
        assertThat(deltas(new int[0], true, Set.of(), ids)).containsExactly("", "ü", "a");
        assertThat(deltas(new int[0], false, Set.of(), ids)).containsExactly("", "", "\uFFFD\uFFFDa");
    }

    /** A request may ask for special tokens because parsers need some; vLLM then garbles what they read. */
    @Test
    void bytesJoinWhereAParserReadsThem() {
        int[] ids = {BYTES + 0xC3, BYTES + 0xBC, TOOL_CALLS, BYTES + 0xC3, BYTES + 0xBC, 2};
        assertThat(deltas(new int[0], false, Set.of("[TOOL_CALLS]"), ids)).containsExactly("", "ü", "[TOOL_CALLS]", "", "ü", "");
    }

    /** vLLM counts U+FFFD of the prompt as shown, and the character that it becomes with it. */
    @Test
    void aCharacterThatThePromptBeganIsLost() {
        assertThat(deltas(new int[] {BYTES + 0xC3}, true, Set.of(), BYTES + 0xBC, BYTES + 'a'))
                .containsExactly("", "a");
    }

    @Test
    void aSpecialTokenEndsTheBytesBeforeIt() {
        assertThat(tokenizer.decode(new int[] {BYTES + 0xC3, 2, BYTES + 0xBC}, true)).isEqualTo("\uFFFD\uFFFD");
    }

    private List<String> deltas(int[] prompt, boolean skip, Set<String> kept, int... ids) {
        Detokenizer detokenizer = tokenizer.detokenizer(DetokenizerOptions.of(prompt, skip, true, kept));
        List<String> deltas = new ArrayList<>();
        for (int id : ids) {
            var out = new StringBuilder();
            detokenizer.next(id, out);
            deltas.add(out.toString());
        }
        return deltas;
    }
}
