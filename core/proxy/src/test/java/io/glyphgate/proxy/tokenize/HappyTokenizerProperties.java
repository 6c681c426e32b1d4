package io.glyphgate.proxy.tokenize;

import static org.assertj.core.api.Assertions.assertThat;

import io.glyphgate.testkit.TestTokenizer;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

/** happy_vLLM's tokenizer over one that has no vocabulary to speak of. */
class HappyTokenizerProperties {
    private static final Words WORDS = new Words.Local(new TestTokenizer("<s>", "END"));
    private static final HappyTokenizer HAPPY = new HappyTokenizer(WORDS);

    @Provide
    Arbitrary<String> texts() {
        return Arbitraries.of("a", ".", " ", "END", "<s>", "\u00e9", "\ud83d\udea2", " .", "\n")
                .list()
                .ofMaxSize(30)
                .map(pieces -> String.join("", pieces));
    }

    @Property(tries = 300)
    void decodingGivesTheTextBack(@ForAll("texts") String text) {
        int[] ids = HAPPY.encode(text);
        assertThat(HAPPY.decode(ids)).isEqualTo(text);
        assertThat(HAPPY.tokens(ids)).hasSize(ids.length);
    }

    @Property(tries = 300)
    void chunksJoinToTheTextAndEndBehindSeparators(@ForAll("texts") String text, @ForAll @IntRange(min = -1, max = 8) int least) {
        List<String> chunks = HAPPY.split(text, least, List.of(".", "END"));
        assertThat(String.join("", chunks)).isEqualTo(text);
        for (String chunk : chunks.subList(0, Math.max(0, chunks.size() - 1))) {
            assertThat(chunk).matches("(?s).*(\\.|END)");
            assertThat(HAPPY.encode(chunk).length).isGreaterThanOrEqualTo(least);
        }
        assertThat(chunks).doesNotContain("");
    }

    @Property(tries = 300)
    void whatIsCutOffAndWhatStaysAreTheText(
            @ForAll("texts") String text, @ForAll boolean fromLeft, @ForAll @IntRange(min = 0, max = 40) int most) {
        int[] ids = WORDS.encode(text, false);
        String cut = HAPPY.cutOff(text, fromLeft, most);
        int kept = Math.min(most, ids.length);
        int[] rest = fromLeft ? Arrays.copyOf(ids, ids.length - kept) : Arrays.copyOfRange(ids, kept, ids.length);
        assertThat(cut).isEqualTo(WORDS.decode(rest));
    }
}
