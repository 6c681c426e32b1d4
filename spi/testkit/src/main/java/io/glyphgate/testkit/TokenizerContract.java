package io.glyphgate.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.glyphgate.spi.Detokenizer;
import io.glyphgate.spi.DetokenizerOptions;
import io.glyphgate.spi.Tokenizer;
import io.glyphgate.spi.TokenizerProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * What every tokenizer promises. Extend it in the tests of a plugin:
 *
 * <pre>{@code
 * class AcmeTokenizerTest extends TokenizerContract {
 *     protected TokenizerProvider provider() { return new AcmeTokenizerProvider(); }
 *     protected Tokenizer load() throws Exception { return provider().load(uri, Map.of()); }
 * }
 * }</pre>
 *
 * @since 1.0
 */
public abstract class TokenizerContract {
    private static final int[] NO_PROMPT = {};

    /** For the author's test class. */
    protected TokenizerContract() {}

    /**
     * The provider.
     *
     * @return the provider, as {@link ServiceLoader} would make it
     */
    protected abstract TokenizerProvider provider();

    /**
     * Loads a tokenizer of the provider.
     *
     * @return a new one each time; the contract closes it
     * @throws Exception if it cannot be loaded; fails the test
     */
    protected abstract Tokenizer load() throws Exception;

    /**
     * Texts that the tokenizer gives back as they were. Override it if the tokenizer changes text, for example its
     * case.
     *
     * @return at least one text
     */
    protected List<String> texts() {
        return List.of(
                "The tide table lists two crossings before noon; the second one is quieter.",
                "a",
                "{\"city\": \"Zürich\", \"days\": [1, 2, 3]}",
                "two  spaces,\ttab,\nnew line\n\nand so on ",
                "größe naïve зима 東京タワー 한국어 שלום مرحبا ไทย",
                "🚢 👩‍🔬 𝔘𝔫𝔦");
    }

    /** The service file names the provider. */
    @Test
    public void theServiceLoaderFindsTheProvider() {
        assertThat(ServiceLoader.load(TokenizerProvider.class))
                .anySatisfy(found -> assertThat(found.getClass()).isEqualTo(provider().getClass()));
        assertThat(provider().name()).matches("[a-z0-9_-]+");
    }

    /** Encoding and decoding gives the text back, and the IDs lie in the vocabulary. */
    @Test
    public void decodeUndoesEncode() throws Exception {
        try (Tokenizer tokenizer = load()) {
            for (String text : texts()) {
                int[] ids = tokenizer.encode(text, false);
                assertThat(IntStream.of(ids).boxed())
                        .isNotEmpty()
                        .allMatch(id -> id >= 0 && id < tokenizer.vocabularySize());
                assertThat(tokenizer.decode(ids, false)).isEqualTo(text);
                assertThat(tokenizer.decode(ids, true)).isEqualTo(text);
            }
            assertThat(tokenizer.encode("", false)).isEmpty();
            assertThat(tokenizer.decode(new int[0], true)).isEmpty();
        }
    }

    /** What comes token by token joins to what is decoded at once. */
    @Test
    public void streamingEqualsDecoding() throws Exception {
        try (Tokenizer tokenizer = load()) {
            for (String text : texts()) {
                int[] ids = tokenizer.encode(text, false);
                assertThat(String.join("", stream(tokenizer, NO_PROMPT, ids, Set.of())))
                        .isEqualTo(tokenizer.decode(ids, true));
            }
        }
    }

    /** Each token appends its own text, whatever the buffer holds and however the tokens are grouped. */
    @Test
    public void anyCutGivesTheSameText() throws Exception {
        try (Tokenizer tokenizer = load()) {
            for (String text : texts()) {
                int[] ids = tokenizer.encode(text, false);
                List<String> each = stream(tokenizer, NO_PROMPT, ids, Set.of());
                for (int size = 2; size <= ids.length; size++) {
                    Detokenizer detokenizer = tokenizer.detokenizer(options(NO_PROMPT, Set.of()));
                    for (int from = 0; from < ids.length; from += size) {
                        int to = Math.min(from + size, ids.length);
                        var out = new StringBuilder("before");
                        for (int i = from; i < to; i++) {
                            detokenizer.next(ids[i], out);
                        }
                        assertThat(out.toString()).isEqualTo("before" + String.join("", each.subList(from, to)));
                    }
                }
            }
        }
    }

    /** The output continues the prompt and does not repeat it. */
    @Test
    public void thePromptIsNotRepeated() throws Exception {
        try (Tokenizer tokenizer = load()) {
            for (String text : texts()) {
                int[] ids = tokenizer.encode(text, false);
                for (int cut = 1; cut < ids.length; cut++) {
                    int[] prompt = IntStream.of(ids).limit(cut).toArray();
                    int[] output = IntStream.of(ids).skip(cut).toArray();
                    String before = tokenizer.decode(prompt, true);
                    if (!before.endsWith("\uFFFD")) {
                        assertThat(before + String.join("", stream(tokenizer, prompt, output, Set.of())))
                                .isEqualTo(text);
                    }
                }
            }
        }
    }

    /** An ID that is no token adds nothing, and nothing breaks. */
    @Test
    public void unknownIdsAddNothing() throws Exception {
        try (Tokenizer tokenizer = load()) {
            String text = texts().getFirst();
            int[] ids = tokenizer.encode(text, false);
            int[] unknown = {-1, Integer.MIN_VALUE, tokenizer.vocabularySize(), Integer.MAX_VALUE};
            int[] mixed = IntStream.of(ids)
                    .flatMap(id -> IntStream.concat(IntStream.of(unknown), IntStream.of(id)))
                    .toArray();
            assertThat(tokenizer.decode(unknown, false)).isEmpty();
            assertThat(tokenizer.decode(mixed, false)).isEqualTo(text);
            assertThat(String.join("", stream(tokenizer, unknown, mixed, Set.of()))).isEqualTo(text);
            for (int id : unknown) {
                assertThat(tokenizer.isSpecial(id)).isFalse();
            }
            assertThat(tokenizer.tokenId("\u0001 no vocabulary holds this \u0002")).isEmpty();
        }
    }

    /** Each token has the name under which it is found, unless an earlier token has the same one. */
    @Test
    public void tokensHaveTheNamesUnderWhichTheyAreFound() throws Exception {
        try (Tokenizer tokenizer = load()) {
            for (String text : texts()) {
                for (int id : tokenizer.encode(text, true)) {
                    String token = tokenizer.token(id).orElseThrow();
                    int found = tokenizer.tokenId(token).orElse(id);
                    assertThat(tokenizer.token(found)).hasValue(token);
                    assertThat(found).isLessThanOrEqualTo(id);
                }
            }
            for (int unknown : new int[] {-1, tokenizer.vocabularySize(), Integer.MAX_VALUE}) {
                assertThat(tokenizer.token(unknown)).isEmpty();
            }
        }
    }

    /** Special tokens that are added to a text stand around it, and change nothing of it. */
    @Test
    public void addedSpecialTokensStandAroundTheText() throws Exception {
        try (Tokenizer tokenizer = load()) {
            for (String text : texts()) {
                int[] bare = tokenizer.encode(text, false);
                int[] whole = tokenizer.encode(text, true);
                int from = 0;
                while (from < whole.length && tokenizer.isSpecial(whole[from])) {
                    from++;
                }
                assertThat(IntStream.of(whole).skip(from).limit(bare.length).toArray()).isEqualTo(bare);
                assertThat(IntStream.of(whole).skip(from + (long) bare.length)).allMatch(tokenizer::isSpecial);
            }
        }
    }

    /** Two tokenizers of the same source say the same of themselves. */
    @Test
    public void theFingerprintIsThatOfTheSource() throws Exception {
        try (Tokenizer one = load();
                Tokenizer other = load()) {
            assertThat(one.fingerprint()).isEqualTo(other.fingerprint()).matches("[0-9a-f]*");
            assertThat(one.settings()).isEqualTo(other.settings());
        }
    }

    /** A special token is left out where special tokens are skipped, unless it is kept. */
    @Test
    public void specialTokensAreSkippedUnlessKept() throws Exception {
        try (Tokenizer tokenizer = load()) {
            int[] special = IntStream.range(0, tokenizer.vocabularySize())
                    .filter(tokenizer::isSpecial)
                    .limit(50)
                    .toArray();
            assertThat(tokenizer.decode(special, true)).isEmpty();
            assertThat(String.join("", stream(tokenizer, NO_PROMPT, special, Set.of()))).isEmpty();
            for (int id : special) {
                String token = tokenizer.decode(new int[] {id}, false);
                if (tokenizer.tokenId(token).orElse(-1) == id) {
                    assertThat(String.join("", stream(tokenizer, NO_PROMPT, new int[] {id}, Set.of(token))))
                            .isEqualTo(token);
                }
            }
        }
    }

    /** Detokenizers share nothing that changes. */
    @Test
    public void interleavedDetokenizersDoNotDisturbEachOther() throws Exception {
        try (Tokenizer tokenizer = load()) {
            List<int[]> ids = new ArrayList<>();
            List<Detokenizer> detokenizers = new ArrayList<>();
            List<StringBuilder> outputs = new ArrayList<>();
            for (String text : texts()) {
                ids.add(tokenizer.encode(text, false));
                detokenizers.add(tokenizer.detokenizer(options(NO_PROMPT, Set.of())));
                outputs.add(new StringBuilder());
            }
            int longest = ids.stream().mapToInt(each -> each.length).max().orElseThrow();
            for (int i = 0; i < longest; i++) {
                for (int choice = 0; choice < ids.size(); choice++) {
                    if (i < ids.get(choice).length) {
                        detokenizers.get(choice).next(ids.get(choice)[i], outputs.get(choice));
                    }
                }
            }
            assertThat(outputs.stream().map(StringBuilder::toString)).containsExactlyElementsOf(texts());
        }
    }

    /** Many threads use one tokenizer at once. */
    @Test
    public void manyThreadsUseOneTokenizer() throws Exception {
        try (Tokenizer tokenizer = load();
                ExecutorService threads = Executors.newFixedThreadPool(4)) {
            List<Callable<String>> tasks = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                String text = texts().get(i % texts().size());
                tasks.add(() -> {
                    int[] ids = tokenizer.encode(text, false);
                    return String.join("", stream(tokenizer, NO_PROMPT, ids, Set.of())) + tokenizer.decode(ids, true);
                });
            }
            List<Future<String>> results = threads.invokeAll(tasks);
            for (int i = 0; i < results.size(); i++) {
                String text = texts().get(i % texts().size());
                assertThat(results.get(i).get()).isEqualTo(text + text);
            }
        }
    }

    /** Closing one tokenizer leaves another one of the same source alone, and closing twice does no harm. */
    @Test
    public void closingIsNobodyElsesMatter() throws Exception {
        String text = texts().getFirst();
        try (Tokenizer other = load()) {
            Tokenizer tokenizer = load();
            int[] ids = tokenizer.encode(text, false);
            tokenizer.close();
            assertThatCode(tokenizer::close).doesNotThrowAnyException();
            assertThat(other.encode(text, false)).isEqualTo(ids);
            assertThat(other.decode(ids, true)).isEqualTo(text);
        }
    }

    private static List<String> stream(Tokenizer tokenizer, int[] prompt, int[] ids, Set<String> kept) {
        Detokenizer detokenizer = tokenizer.detokenizer(options(prompt, kept));
        List<String> texts = new ArrayList<>();
        for (int id : ids) {
            var out = new StringBuilder();
            detokenizer.next(id, out);
            texts.add(out.toString());
        }
        return texts;
    }

    private static DetokenizerOptions options(int[] prompt, Set<String> kept) {
        return DetokenizerOptions.of(prompt, true, true, kept);
    }
}
