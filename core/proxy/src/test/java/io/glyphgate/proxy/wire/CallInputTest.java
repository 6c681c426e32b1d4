package io.glyphgate.proxy.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CallInputTest {
    private static String written(String arguments) {
        JsonOut out = new JsonOut();
        CallInput.write(arguments, out);
        return new String(out.toByteArray(), StandardCharsets.UTF_8);
    }

    @Test
    void whatIsOneObjectStaysAsItIs() {
        String arguments = "{\"a\": 1.50, \"b\" : [\"é🛶\"], \"c\":{}}";

        assertThat(CallInput.isWhole(arguments)).isTrue();
        assertThat(written(arguments)).isEqualTo(arguments);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            textBlock = """
            {"a": "x", "b": "y | {"a":"x"}
            {"a": "x", "b": "y" | {"a":"x","b":"y"}
            {"a": 12 | {}
            {"a": 12, | {"a":12}
            {"a": 12, "b": [1, 2 | {"a":12}
            {"a": {"b": 1} | {"a":{"b":1}}
            {"a": tru | {}
            {"a" | {}
            {"a": 1} and more | {"a":1}
            {"a": NaN} | {}
            [1] | {}
            "text" | {}
            nothing | {}
            """)
    void ofWhatIsNotTheWholeMembersCount(String arguments, String written) {
        assertThat(CallInput.isWhole(arguments)).isFalse();
        assertThat(written(arguments)).isEqualTo(written);
    }

    @Test
    void noArgumentsAreNoMembers() {
        assertThat(CallInput.isWhole("")).isFalse();
        assertThat(written("")).isEqualTo("{}");
    }
}
