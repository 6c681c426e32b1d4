package io.glyphgate.toolkit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PythonLiteralTest {
    private static final int MANY = 100_000;

    @ParameterizedTest
    @CsvSource({
        "0, 0", "-0, -0", "000, 0", "0_0, 0", "+7, 7", "1_000, 1000", "-12, -12", "0x1F, 31", "-0b101, -5", "0o17, 15",
        "1e5, 1.0e5", "1E-7, 1.0E-7", "2., 2.0", ".5, 0.5", "007.5, 7.5", "-1_0.2_5e+3, -10.25e+3", "1e308, 1.0e308",
    })
    void numbers(String python, String json) {
        assertThat(PythonLiteral.json(python)).isEqualTo(json);
    }

    @ParameterizedTest
    @CsvSource({"007", "1__0", "_1", "1_", "0x", "1e", ".", "-", "1e400", "1.2.3", "0_x", "nan", "inf", "TRUE"})
    void othersAreNone(String word) {
        assertThat(PythonLiteral.json(word)).isNull();
    }

    @Test
    void aNumberMayHaveAnyNumberOfDigits() {
        String digits = "1".repeat(MANY);

        assertThat(PythonLiteral.json(digits)).isEqualTo(digits);
        assertThat(PythonLiteral.json("-" + "1_".repeat(MANY) + "1")).isEqualTo("-" + digits + "1");
        assertThat(PythonLiteral.json("0".repeat(MANY))).isEqualTo("0");
        assertThat(PythonLiteral.json("0.5" + "0".repeat(MANY))).isEqualTo("0.5" + "0".repeat(MANY));
        assertThat(PythonLiteral.json(digits + "x")).isNull();
        assertThat(PythonLiteral.json("0".repeat(MANY) + "1")).isNull();
    }
}
