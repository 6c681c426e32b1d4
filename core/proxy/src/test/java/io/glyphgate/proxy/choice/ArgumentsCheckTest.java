package io.glyphgate.proxy.choice;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ArgumentsCheckTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    private static final String SCHEMA = """
            {"type": "object", "additionalProperties": false, "required": ["name", "place"],
             "$defs": {"place": {"type": "object", "required": ["city"], "properties": {"city": {"type": "string"}}},
                       "tree": {"type": "object", "properties": {"left": {"$ref": "#/$defs/tree"}}, "additionalProperties": false}},
             "properties": {
               "name": {"type": "string"}, "count": {"type": "integer"}, "ratio": {"type": "number"}, "on": {"type": "boolean"},
               "unit": {"enum": ["C", "F", 1, null]}, "kind": {"const": "x"},
               "tags": {"type": "array", "items": {"type": "string"}}, "union": {"type": ["string", "null"]},
               "place": {"$ref": "#/$defs/place"}, "tree": {"$ref": "#/$defs/tree"},
               "maybe": {"anyOf": [{"$ref": "#/$defs/place"}, {"type": "null"}]},
               "either": {"oneOf": [{"enum": ["a"]}, {"type": "integer"}]},
               "wrapped": {"allOf": [{"$ref": "#/$defs/place"}]}, "old": {"type": "string", "nullable": true},
               "odd": {"type": "any"}, "free": {}, "map": {"type": "object", "additionalProperties": {"type": "integer"}},
               "patterned": {"type": "object", "properties": {}, "patternProperties": {"^a": {}}, "additionalProperties": false},
               "twofold": {"anyOf": [{"type": "object", "required": ["a"]}, {"type": "object", "required": ["b"]}]},
               "loop": {"$ref": "#/properties/loop"}}}
            """;

    @ParameterizedTest
    @ValueSource(strings = {
        "\"count\": 1", "\"count\": 1.0", "\"count\": 1e2", "\"count\": -12345678901234567890", "\"ratio\": 1", "\"ratio\": 0.5e-3",
        "\"on\": true", "\"unit\": \"F\"", "\"unit\": 1.0", "\"unit\": null", "\"kind\": \"\\u0078\"", "\"tags\": []",
        "\"tags\": [\"a\", \"b\"]", "\"union\": null", "\"maybe\": null", "\"maybe\": {\"city\": \"\"}", "\"either\": 3",
        "\"either\": \"a\"", "\"wrapped\": {\"city\": \"x\"}", "\"old\": null", "\"odd\": [1]", "\"free\": {\"a\": [{}]}",
        "\"map\": {\"any\": 1}", "\"patterned\": {\"a\": 1}", "\"twofold\": {\"c\": 1}", "\"loop\": [[]]",
        "\"tree\": {\"left\": {\"left\": {}}}"
    })
    void allows(String member) {
        assertThat(of(SCHEMA, "{\"name\": \"n\", \"place\": {\"city\": \"c\"}, " + member + "}")).isEqualTo("complete");
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "\"count\": \"1\"", "\"count\": 1.5", "\"count\": null", "\"ratio\": \"x\"", "\"on\": 1", "\"on\": \"true\"", "\"unit\": \"K\"",
        "\"unit\": 2", "\"unit\": true", "\"kind\": \"y\"", "\"tags\": \"a\"", "\"tags\": [\"a\", 1]", "\"tags\": {}", "\"union\": 1",
        "\"maybe\": 1", "\"maybe\": {}", "\"either\": \"b\"", "\"either\": true", "\"wrapped\": {}", "\"place\": \"c\"",
        "\"place\": {\"city\": 1}", "\"map\": {\"any\": \"x\"}", "\"unknown\": 1", "\"tree\": {\"left\": {\"right\": {}}}", "\"old\": 1"
    })
    void findsWhatTheSchemaRulesOut(String member) {
        assertThat(of(SCHEMA, "{\"name\": \"n\", \"place\": {\"city\": \"c\"}, " + member + "}")).isEqualTo("complete off-schema");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock = """
            {"name": "n", "place": {"city": ""}} | complete
            {"name": "n"}                        | complete off-schema
            {}                                   | complete off-schema
            []                                   | complete off-schema
            "{}"                                 | complete off-schema
            {"name": "n", "place": {"city": ""   | open
            {"name": "n", "place": {}, "count"   | off-schema open
            """)
    void looksAtRequiredPropertiesWhenTheirObjectEnds(String json, String expected) {
        assertThat(of(SCHEMA, json)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock = """
            {"a": 1}}            | malformed
            {"a": 1,}            | malformed
            {"a" 1}              | malformed
            {a: 1}               | malformed
            {'a': 1}             | malformed
            {"a": True}          | malformed
            {"a": 01}            | malformed
            {"a": 1.}            | malformed
            {"a": -}             | malformed
            {"a": NaN}           | malformed
            {"a": "\\x"}         | malformed
            {"a": "\\u00g0"}     | malformed
            {"a": [1, ]}         | malformed
            {"a": [1}            | malformed
            {"a": 1 "b": 2}      | malformed
            {} {}                | malformed
            {"a": "              | open
            {                    | open
            tru                  | malformed
            12                   | complete
            {"a": 1e400}         | complete
            """)
    void asksForJsonWhereThereIsNoSchema(String json, String expected) {
        assertThat(of(null, json)).isEqualTo(expected);
    }

    @Test
    void aLineBreakInAStringIsNoJson() {
        assertThat(of(null, "{\"a\": \"x\ny\"}")).isEqualTo("malformed");
        assertThat(of(null, "{\"a\":\n\t\"x\"\r\n}\n")).isEqualTo("complete");
        assertThat(of(null, "")).isEqualTo("open");
    }

    @Test
    void whatIsTooDeepOrTooLongIsNotJudged() {
        assertThat(of(SCHEMA, "[".repeat(1000) + "}")).isEqualTo("complete off-schema");
        assertThat(of(null, "{\"a\": " + "9".repeat(1000) + "}")).isEqualTo("complete");
        assertThat(of(null, "{\"a\": " + "x".repeat(1000) + "}")).isEqualTo("malformed");
        String word = "w".repeat(500);
        String longEnum = "{\"properties\": {\"a\": {\"enum\": [\"" + word + "\"]}, \"b\": {\"enum\": [\"w\"]}}}";
        assertThat(of(longEnum, "{\"a\": \"" + word + "\"}")).isEqualTo("complete");
        assertThat(of(longEnum, "{\"b\": \"" + word + "\"}")).isEqualTo("complete off-schema");
    }

    /** Two references to itself at each level would be two to the power of the levels. */
    @Test
    void aSchemaThatGoesRoundCostsLittle() {
        String schema = "{\"anyOf\": [{\"$ref\": \"#\"}, {\"$ref\": \"#\"}]}";
        assertThat(of(schema, "[" + "1, ".repeat(1000) + "1]")).isEqualTo("complete");
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "{\"type\": 7, \"properties\": [], \"required\": \"x\", \"enum\": {}}",
        "{\"properties\": {\"a\": true, \"b\": \"string\"}, \"additionalProperties\": \"no\"}",
        "{\"$ref\": \"#/nowhere\"}", "{\"$ref\": \"http://x/y\"}", "{\"$ref\": \"#\"}", "{\"anyOf\": []}", "{\"type\": []}"
    })
    void aSchemaThatIsNoneAllowsEverything(String schema) {
        assertThat(of(schema, "{\"a\": 1, \"b\": [null]}")).isEqualTo("complete");
    }

    /** A string of any length, and objects after objects, cost nothing. */
    @Test
    void keepsNothingOfLongArguments() {
        int pieces = 100_000;
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        ArgumentsCheck check = new ArgumentsCheck();
        check.begin(new ArgumentsSchema(map("{\"type\": \"object\", \"properties\": {\"a\": {\"type\": \"string\"}}}")));
        check.take("{\"a\": \"");
        long before = 0;
        for (int i = 0; i < pieces; i++) {
            if (i == pieces / 10) {
                before = threads.getCurrentThreadAllocatedBytes();
            }
            check.take("abc \\u00e9");
        }
        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(pieces / 10);
        check.take("\"}");
        check.end();
        assertThat(check.complete()).isTrue();
    }

    private static String of(@Nullable String schema, String json) {
        String whole = of(schema, json, json.length());
        assertThat(of(schema, json, 1)).as("cut at every character").isEqualTo(whole);
        return whole;
    }

    static String of(@Nullable String schema, String json, int chunk) {
        ArgumentsCheck check = new ArgumentsCheck();
        check.begin(schema == null ? null : new ArgumentsSchema(map(schema)));
        for (int at = 0; at < json.length(); at += chunk) {
            check.take(json.substring(at, Math.min(json.length(), at + chunk)));
        }
        check.end();
        if (check.malformed()) {
            return "malformed";
        }
        return check.complete() ? check.offSchema() ? "complete off-schema" : "complete" : check.offSchema() ? "off-schema open" : "open";
    }

    @SuppressWarnings("unchecked") // a JSON object becomes a map with its names as keys
    private static Map<String, Object> map(String json) {
        try {
            return JSON.readValue(json, Map.class);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
