package io.glyphgate.plugin.tokenizerhuggingface;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import io.glyphgate.spi.Detokenizer;
import io.glyphgate.spi.DetokenizerOptions;
import io.glyphgate.spi.Tokenizer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Objects;
import java.util.Set;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What vLLM's own detokenizers gave for each token, recorded; stop strings are left out, they are not made here. */
class DetokenizerGoldenTest {
    private static final JsonFactory JSON = new JsonFactory();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "qwen3",
                "llama2",
                "qwen3_kimi",
                "llama2_ernie",
                "deepseek_v3",
                "gptoss",
                "llama3_1",
                "gemma4",
                "tekken_v13"
            })
    void theTextOfEachTokenIsThatOfVllm(String name) throws IOException {
        assumeTrue(
                Tokenizers.folder(name).isPresent(),
                "the tokenizer " + name + " is not at hand: set -Dglyphgate.tokenizers to a folder of tokenizers");
        int compared = 0;
        try (Tokenizer tokenizer = Tokenizers.load(Tokenizers.folder(name).orElseThrow())) {
            for (Map<?, ?> golden : goldens(name)) {
                if (check(tokenizer, golden)) {
                    compared++;
                }
            }
        }
        assertThat(compared).isGreaterThan(30);
    }

    /** Whether the case could be compared. */
    private static boolean check(Tokenizer tokenizer, Map<?, ?> golden) {
        Map<?, ?> params = (Map<?, ?>) field(golden, "params");
        int[] ids = ids(field(golden, "token_ids"));
        boolean skip = flag(params, "skip_special_tokens");
        boolean spaces = flag(params, "spaces_between_special_tokens");
        assertThat(tokenizer.decode(ids, skip))
                .as("%s, decoded at once", golden.get("name"))
                .isEqualTo(field(golden, "batch_text"));
        if (params.containsKey("stop")) {
            return false;
        }
        boolean hiddenStop = Boolean.TRUE.equals(golden.get("stop_terminated"))
                && !Boolean.TRUE.equals(params.get("include_stop_str_in_output"));
        var texts = new ArrayList<String>();
        Detokenizer detokenizer = tokenizer.detokenizer(
                DetokenizerOptions.of(ids(field(golden, "prompt_token_ids")), skip, spaces, Set.of()));
        for (int i = 0; i < ids.length; i++) {
            var out = new StringBuilder();
            if (i < ids.length - 1 || !hiddenStop) {
                detokenizer.next(ids[i], out);
            }
            texts.add(out.toString());
        }
        for (Object each : (List<?>) field(golden, "runs")) {
            Map<?, ?> run = (Map<?, ?>) each;
            String chunking = (String) field(run, "chunking");
            int size = chunking.equals("all") ? ids.length : Integer.parseInt(chunking.substring("fixed".length()));
            var deltas = new ArrayList<String>();
            for (int i = 0; i < ids.length; i += size) {
                deltas.add(String.join("", texts.subList(i, Math.min(i + size, ids.length))));
            }
            assertThat(deltas).as("%s %s", chunking, golden).isEqualTo(field(run, "deltas"));
        }
        return true;
    }

    private static Object field(Map<?, ?> json, String name) {
        return Objects.requireNonNull(json.get(name), name);
    }

    private static boolean flag(Map<?, ?> params, String name) {
        return !Boolean.FALSE.equals(params.get(name));
    }

    private static int[] ids(Object json) {
        return json instanceof List<?> list
                ? list.stream().mapToInt(id -> ((Number) id).intValue()).toArray()
                : new int[0];
    }

    private static List<Map<?, ?>> goldens(String name) throws IOException {
        try (var in = DetokenizerGoldenTest.class.getResourceAsStream("/detok/" + name + ".jsonl.gz");
                var lines = new BufferedReader(
                        new InputStreamReader(new GZIPInputStream(in), StandardCharsets.UTF_8))) {
            return lines.lines().<Map<?, ?>>map(DetokenizerGoldenTest::json).toList();
        }
    }

    private static Map<?, ?> json(String line) {
        try (JsonParser json = JSON.createParser(line)) {
            json.nextToken();
            return (Map<?, ?>) Objects.requireNonNull(TokenizerFile.value(json));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
