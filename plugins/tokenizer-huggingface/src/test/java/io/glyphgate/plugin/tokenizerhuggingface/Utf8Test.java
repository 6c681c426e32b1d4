package io.glyphgate.plugin.tokenizerhuggingface;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class Utf8Test {
    /** The examples of the Unicode Standard, tables 3-8 to 3-11; {@code ?} stands for U+FFFD. */
    @ParameterizedTest
    @CsvSource({
        "61F18080E180C262 80 63 80BF64, a???b?c??d",
        "C0AFE080BFF0818241, ????????A",
        "EDA080EDBFBFEDAF41, ????????A",
        "F4919293FF4180BF42, ?????A??B",
        "E180E2F09192F1BF41, ????A",
        "E4B8, ?",
        "F09F9A, ?"
    })
    void eachLongestStartOfACharacterBecomesOneReplacement(String hex, String expected) {
        var utf8 = new Utf8();
        var out = new StringBuilder();
        for (byte b : HexFormat.of().parseHex(hex.replace(" ", ""))) {
            utf8.takeLossy(b & 0xFF, out);
        }
        utf8.end(out);
        assertThat(out.toString()).isEqualTo(expected.replace('?', '\uFFFD'));
    }

    @Test
    void everyCharacterComesBack() {
        var utf8 = new Utf8();
        for (int c = 0; c <= Character.MAX_CODE_POINT; c++) {
            if (c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE) {
                continue;
            }
            String character = Character.toString(c);
            var out = new StringBuilder();
            for (byte b : character.getBytes(StandardCharsets.UTF_8)) {
                assertThat(out).isEmpty();
                assertThat(utf8.take(b & 0xFF, out)).isTrue();
            }
            assertThat(utf8.partial()).isFalse();
            assertThat(out.toString()).isEqualTo(character);
        }
    }
}
