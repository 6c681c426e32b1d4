package io.glyphgate.proxy.choice;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

/** What is JSON for Jackson is JSON for the check, and nothing else. */
class ArgumentsCheckProperties {
    private static final ObjectMapper JSON = new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    @Provide
    Arbitrary<String> scraps() {
        return Arbitraries.of(
                        "{", "}", "[", "]", ":", ",", "\"", "\"a\"", "\"a\": ", "{\"a\": 1}", "1", "0", "-", ".", "e", "+", "true", "null",
                        "\\", "\\n", "\\u00", "e9", " ", "\n", "x", "é")
                .list()
                .ofMaxSize(12)
                .map(scraps -> String.join("", scraps));
    }

    @Provide
    Arbitrary<String> values() {
        Arbitrary<String> scalars = Arbitraries.oneOf(
                Arbitraries.of("true", "false", "null"),
                Arbitraries.longs().map(String::valueOf),
                Arbitraries.doubles().map(String::valueOf),
                Arbitraries.strings().ofMaxLength(5).map(ArgumentsCheckProperties::quoted));
        return Arbitraries.lazyOf(
                () -> scalars,
                () -> scalars,
                () -> values().list().ofMaxSize(3).map(items -> "[" + String.join(", ", items) + "]"),
                () -> values().list().ofMaxSize(3).map(ArgumentsCheckProperties::object));
    }

    private static String object(List<String> values) {
        StringBuilder json = new StringBuilder("{");
        for (int i = 0; i < values.size(); i++) {
            json.append(i == 0 ? "" : ",").append("\"k\\t").append(i).append("\" : ").append(values.get(i));
        }
        return json.append('}').toString();
    }

    private static String quoted(String text) {
        try {
            return JSON.writeValueAsString(text);
        } catch (JsonProcessingException e) {
            throw new AssertionError(e);
        }
    }

    @Property
    void anythingIsJudgedAsJacksonJudgesIt(@ForAll("scraps") String json, @ForAll @IntRange(min = 1, max = 4) int chunk) {
        assertThat(ArgumentsCheckTest.of(null, json, chunk).equals("complete")).isEqualTo(isJson(json));
    }

    @Property
    void jsonIsCompleteAndItsStartsAreOpen(@ForAll("values") String json, @ForAll @IntRange(min = 1, max = 4) int chunk) {
        String object = "{\"a\": " + json + "}";
        assertThat(ArgumentsCheckTest.of(null, object, chunk)).isEqualTo("complete");
        for (int end = 0; end < object.length(); end++) {
            String start = ArgumentsCheckTest.of(null, object.substring(0, end), chunk);
            assertThat(start).isNotEqualTo("complete");
        }
    }

    private static boolean isJson(String text) {
        try {
            JsonNode node = JSON.readTree(text);
            return !node.isMissingNode();
        } catch (JsonProcessingException e) {
            return false;
        }
    }
}
