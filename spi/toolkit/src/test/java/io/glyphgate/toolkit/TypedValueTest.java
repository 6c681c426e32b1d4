package io.glyphgate.toolkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.glyphgate.spi.Tool;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TypedValueTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "string",
            quoteCharacter = '`',
            value = {
                "INTEGER | 7 | 7",
                "INTEGER | ` +1_000 ` | 1000",
                "INTEGER | -007 | -7",
                "INTEGER | -0 | 0",
                "INTEGER | 12345678901234567890123 | 12345678901234567890123",
                "INTEGER | 3.5 | 3.5",
                "INTEGER | two | string",
                "INTEGER | 1__0 | string",
                "INTEGER | _1 | string",
                "INTEGER | ٣ | string",
                "NUMBER | 10 | 10",
                "NUMBER | 42.5 | 42.5",
                "NUMBER | -0.0005 | -0.0005",
                "NUMBER | 0.00005 | 5e-05",
                "NUMBER | 1.25e-12 | 1.25e-12",
                "NUMBER | 1e+21 | 1000000000000000000000",
                "NUMBER | 2.0 | 2",
                "NUMBER | .5 | 0.5",
                "NUMBER | 5. | 5",
                "NUMBER | 1e999 | string",
                "NUMBER | . | string",
                "NUMBER | 1e | string",
                "NUMBER | 0x10 | string",
                "NUMBER | 1d | string",
                "NUMBER | NaN | string",
                "NUMBER | Infinity | string",
                "BOOLEAN | True | true",
                "BOOLEAN | ` 0 ` | false",
                "BOOLEAN | yes | string",
                "NULL | Null | null",
                "OBJECT | {\"a\": [1, {}]} | {\"a\": [1, {}]}",
                "OBJECT | {'a': 1} | string",
                "OBJECT | {\"a\": 1e999} | string",
                "OBJECT | {\"a\": 1} x | string",
                "ARRAY | [1, 2] | [1, 2]",
                "ARRAY | {\"a\": 1} | {\"a\": 1}",
                "STRING | 12 | string",
            })
    void aTextHasTheTypeThatItsSchemaAllows(ValueType type, String text, @Nullable String json) {
        assertThat(TypedValue.json(text, EnumSet.of(type))).isEqualTo(json);
    }

    @Test
    void theFirstTypeThatFitsWins() {
        assertThat(TypedValue.json("null", EnumSet.of(ValueType.STRING, ValueType.NULL)))
                .isEqualTo("null");
        assertThat(TypedValue.json("1", EnumSet.of(ValueType.BOOLEAN, ValueType.INTEGER)))
                .isEqualTo("1");
        assertThat(TypedValue.json("1.5", EnumSet.of(ValueType.STRING, ValueType.INTEGER)))
                .isNull();
    }

    @Test
    void deepJsonIsText() {
        String deep = "[".repeat(100_000) + "]".repeat(100_000);
        assertThat(TypedValue.json(deep, EnumSet.of(ValueType.ARRAY))).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"", "\\", "\n", "\r\t\b\f\u0001\u001f", "é茶🚢\u007f\u2028", "\ud83d"})
    void aStringIsEscapedSoThatItReadsBack(String text) {
        StringBuilder json = new StringBuilder();
        Json.escape(text, json);
        JsonString string = new JsonString();
        string.begin();
        for (int i = 0; i < json.length(); i++) {
            assertThat(json.charAt(i)).isGreaterThanOrEqualTo(' ');
            assertThat(string.take(json.charAt(i))).isFalse();
        }
        assertThat(string.take('"')).isTrue();
        assertThat(string.text()).isEqualTo(text);
    }

    @Test
    void aSchemaNamesItsTypesInManyWays() {
        Map<String, Object> properties = Map.of(
                "list", Map.of("type", List.of("string", "null")),
                "alias", Map.of("type", " Int64 "),
                "values", Map.of("enum", Arrays.asList("a", 1, 1.5, true, null, List.of(), Map.of())),
                "either",
                        Map.of(
                                "anyOf",
                                List.of(Map.of("type", "array"), Map.of("oneOf", List.of(Map.of("type", "null"))))),
                "odd", Map.of("type", 5, "enum", "no list", "allOf", "no list"),
                "any", Map.of());
        Tool tool = Tool.of("f", Map.of("type", "object", "properties", properties));
        assertThat(ValueType.declared(tool, "list")).containsExactly(ValueType.NULL, ValueType.STRING);
        assertThat(ValueType.declared(tool, "alias")).containsExactly(ValueType.INTEGER);
        assertThat(ValueType.declared(tool, "values")).containsExactly(ValueType.values());
        assertThat(ValueType.declared(tool, "either")).containsExactly(ValueType.NULL, ValueType.ARRAY);
        for (String parameter : Set.of("odd", "any", "unknown")) {
            assertThat(ValueType.declared(tool, parameter)).isEmpty();
        }
        assertThat(ValueType.declared(null, "list")).isEmpty();
        assertThat(ValueType.declared(Tool.of("f", Map.of("properties", "odd")), "list"))
                .isEmpty();
    }
}
