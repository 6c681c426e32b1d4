package io.glyphgate.toolkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.TokenDelta;
import io.glyphgate.spi.ToolParser;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A character that two escapes spell comes whole, however they are cut: a client that decodes each piece by itself would have two
 * halves for good.
 */
class HalfCharacterTest {
    private static final CallFormat PYTHON =
            CallFormat.of(new Arguments.PythonCalls(",")).call("[", List.of(), "]").build();
    private static final CallFormat QUOTED = CallFormat.of(
                    new Arguments.JsonCall("name", List.of("arguments"), true))
            .call("@", List.of("{"))
            .build();

    private static List<String> pieces(CallFormat format, String output, int size) {
        ToolParser parser = new CallStage(format, new CallLiterals(format), List.of());
        TestSink out = new TestSink();
        for (int at = 0; at < output.length(); at += size) {
            parser.accept(TokenDelta.of(output.substring(at, Math.min(output.length(), at + size))), out);
        }
        parser.finish(FinishReason.LENGTH, out);
        return out.pieces();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "PYTHON | [f(a='x\\ud83d\\udea2y', b={'\\ud83d\\udea2': [1]})] | `{\"a\": \"x🚢y\", \"b\": {\"🚢\": [1]}}`",
                "PYTHON | [f(a='x\\ud83d                                   | `{\"a\": \"x`",
                "QUOTED | @{\"name\": \"f\", \"arguments\": \"{\\\"a\\\": \\\"\\ud83d\\udea2\\\"}\"} | `{\"a\": \"🚢\"}`",
                "QUOTED | @{\"name\": \"f\", \"arguments\": \"{\\\"a\\\": \\\"\\ud83d          | `{\"a\": \"`",
            })
    void comesWhole(String format, String output, String arguments) {
        for (int size = 1; size <= output.length(); size++) {
            List<String> pieces = pieces(format.equals("PYTHON") ? PYTHON : QUOTED, output, size);
            assertThat(pieces).as("in pieces of %d", size).noneMatch(piece -> Character.isHighSurrogate(piece.charAt(piece.length() - 1)));
            assertThat(String.join("", pieces)).isEqualTo(arguments);
        }
    }
}
