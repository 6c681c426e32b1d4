package io.glyphgate.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.glyphgate.spi.Detokenizer;
import io.glyphgate.spi.DetokenizerOptions;
import java.util.Set;
import org.junit.jupiter.api.Test;

class TestTokenizerTest {
    private final TestTokenizer tokenizer = new TestTokenizer("<a>", "<b>");

    @Test
    void encodesBytesAndSpecialTokens() {
        assertThat(tokenizer.encode("x<b>é", true)).containsExactly('x', 257, 0xc3, 0xa9);
        assertThat(tokenizer.vocabularySize()).isEqualTo(258);
        assertThat(tokenizer.tokenId("<a>")).hasValue(256);
        assertThat(tokenizer.tokenId("x")).hasValue('x');
        assertThat(tokenizer.tokenId("<c>")).isEmpty();
        assertThat(tokenizer.isSpecial(257)).isTrue();
        assertThat(tokenizer.isSpecial(258)).isFalse();
    }

    @Test
    void decodesAtOnce() {
        int[] ids = tokenizer.encode("x<b>é🚢", false);
        assertThat(tokenizer.decode(ids, false)).isEqualTo("x<b>é🚢");
        assertThat(tokenizer.decode(ids, true)).isEqualTo("xé🚢");
        assertThat(tokenizer.decode(new int[] {0xf0, 999}, true)).isEqualTo("\ufffd");
    }

    @Test
    void detokenizesWholeCharacters() {
        Detokenizer detokenizer = tokenizer.detokenizer(DetokenizerOptions.of(new int[0], true, true, Set.of("<a>")));
        StringBuilder out = new StringBuilder();
        for (int id : tokenizer.encode("<a><b>🚢", false)) {
            detokenizer.next(id, out);
            assertThat(out.toString()).isIn("<a>", "<a>🚢");
        }
        assertThat(out.toString()).isEqualTo("<a>🚢");
    }

    @Test
    void aContextTellsTheEndOfItsPrompt() {
        TestContext counted = TestContext.builder().prompt("abcdef").build();
        assertThat(counted.promptTail(2)).isEqualTo("ef");
        assertThat(counted.promptTail(9)).isEqualTo("abcdef");
        assertThat(counted.promptTokenIds()).isEmpty();
        TestContext encoded =
                TestContext.builder().tokenizer(tokenizer).prompt("ab<a>c").build();
        assertThat(encoded.promptTail(2)).isEqualTo("<a>c");
        assertThat(encoded.promptTokenIds()).containsExactly('a', 'b', 256, 'c');
    }
}
