package io.glyphgate.proxy.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.glyphgate.proxy.wire.PythonJson.Fault;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What Python 3.11 said about each text. */
class PythonJsonTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            ignoreLeadingAndTrailingWhitespace = false,
            quoteCharacter = '~',
            value = {
                "{x|1|Expecting property name enclosed in double quotes",
                "{\"a\":\"\\u12\"}|7|Invalid \\uXXXX escape",
                "{\"a\":\"\\x\"}|6|Invalid \\escape",
                "{\"a\":1,}|7|Expecting property name enclosed in double quotes",
                "[1,]|3|Expecting value",
                "{\"a\" 1}|5|Expecting ':' delimiter",
                "{\"a\":}|5|Expecting value",
                "{\"a\":1 \"b\":2}|7|Expecting ',' delimiter",
                "\"abc|0|Unterminated string starting at",
                "~\"a\nb\"~|2|Invalid control character at",
                "{} x|3|Extra data",
                "{\"a\":tru}|5|Expecting value",
                "-|0|Expecting value",
                "01|1|Extra data",
                "1.|1|Extra data",
                "[1 2]|3|Expecting ',' delimiter",
                "{\"a\":\"\\|5|Unterminated string starting at",
                "{\"a\":1.e5}|6|Expecting ',' delimiter",
                " |1|Expecting value",
                "{\"\u00e9\ud83d\udea2\":x}|6|Expecting value",
                "{\"a\":\"\\u123|7|Invalid \\uXXXX escape"
            })
    void theFirstFaultIsThatOfPython(String text, int position, String reason) {
        assertThat(PythonJson.in(text)).isEqualTo(new Fault(position, reason));
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", " [1, -2.5e+3, NaN, -Infinity, true, null] ", "{\"a\": {\"b\": \"\\ud800\\n\"}}", "0", "\"\u6771\""})
    void whatPythonTakesHasNoFault(String text) {
        assertThat(PythonJson.in(text)).isNull();
    }

    @Test
    void depthIsLimited() {
        assertThat(PythonJson.in("[".repeat(100_000))).isEqualTo(new Fault(901, "Too deep"));
    }
}
