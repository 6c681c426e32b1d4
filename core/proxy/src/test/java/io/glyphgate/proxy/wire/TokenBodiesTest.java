package io.glyphgate.proxy.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.glyphgate.spi.InvalidRequestException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Bodies of the doors for tokens and texts; what is said of values is what pydantic 2.14 says of them. */
class TokenBodiesTest {
    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static List<String> faults(ThrowingCallable reading) {
        List<String> faults = new ArrayList<>();
        assertThatThrownBy(reading).isInstanceOfSatisfying(InvalidBodyException.class, e -> {
            try {
                for (JsonNode fault : new ObjectMapper().readTree(e.toDetail()).path("detail")) {
                    faults.add(fault.path("type").asText() + " " + fault.path("loc"));
                }
            } catch (IOException bad) {
                throw new AssertionError(bad);
            }
        });
        return faults;
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "5|5", "\" 5 \"|5", "\"1_0\"|10", "\"1.0\"|1", "\"+5\"|5", "1.0|1", "true|1", "-0.0|0", "4294967295|2147483647"
            })
    void numbersAreRead(String json, int id) {
        assertThat(DetokenizeBody.parse(utf8("{\"tokens\":[" + json + "]}")).tokens()).containsExactly(id);
        assertThat(DetokenizeBody.parseVersion2(utf8("{\"tokens\":[" + json + "]}")).tokens()).containsExactly(id);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\"1.5\"|int_parsing",
                "\"x\"|int_parsing",
                "\"1e3\"|int_parsing",
                "\"1__0\"|int_parsing",
                "\"_1\"|int_parsing",
                "\"\"|int_parsing",
                "1.5|int_from_float",
                "1e30|int_parsing_size",
                "Infinity|finite_number",
                "NaN|finite_number",
                "null|int_type",
                "[]|int_type",
                "{}|int_type",
                "-1|greater_than_equal",
                "\"-1\"|greater_than_equal",
                "9223372036854775808|less_than_equal"
            })
    void whatIsNoTokenIdIsAFault(String json, String type) {
        assertThat(faults(() -> DetokenizeBody.parse(utf8("{\"tokens\":[7," + json + "]}"))))
                .containsExactly(type + " [\"body\",\"tokens\",1]");
    }

    @Test
    void idsOver32BitsAreRefusedAfterAllOthers() {
        assertThatThrownBy(() -> DetokenizeBody.parse(utf8("{\"tokens\":[4294967296]}")))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("number too large to fit in target type");
        assertThat(faults(() -> DetokenizeBody.parse(utf8("{\"tokens\":[4294967296,-1]}"))))
                .containsExactly("greater_than_equal [\"body\",\"tokens\",1]");
        assertThat(faults(() -> DetokenizeBody.parseVersion2(utf8("{\"tokens\":[4294967296]}"))))
                .containsExactly("less_than_equal [\"body\",\"tokens\",0]");
    }

    @ParameterizedTest
    @ValueSource(strings = {"true", "\"1\"", "\"T\"", "\"tRuE\"", "\"on\"", "\"y\"", "\"Yes\"", "1", "1.0"})
    void truthsAreRead(String json) {
        assertThat(prompt("{\"prompt\":\"\",\"add_special_tokens\":" + json + "}").addSpecialTokens()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"false", "\"0\"", "\"OFF\"", "\"n\"", "\"no\"", "\"f\"", "0", "0.0"})
    void untruthsAreRead(String json) {
        assertThat(prompt("{\"prompt\":\"\",\"add_special_tokens\":" + json + "}").addSpecialTokens()).isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\"\"|bool_parsing",
                "2|bool_parsing",
                "-1|bool_parsing",
                "\"true \"|bool_parsing",
                "0.5|bool_type",
                "null|bool_type",
                "[]|bool_type",
                "NaN|bool_type"
            })
    void whatIsNeitherIsAFault(String json, String type) {
        assertThat(faults(() -> TokenizeBody.parse(utf8("{\"prompt\":\"x\",\"add_special_tokens\":" + json + "}"))))
                .containsExactly(
                        type + " [\"body\",\"add_special_tokens\"]",
                        "missing [\"body\",\"messages\"]",
                        type + " [\"body\",\"add_special_tokens\"]");
    }

    private static TokenizeBody prompt(String json) {
        TokenizeBody body = TokenizeBody.parse(utf8(json));
        assertThat(body).isInstanceOf(TokenizeBody.Prompt.class);
        return body;
    }

    @Test
    void messagesWinAtTokenizeAndPromptsAtVersion2() {
        byte[] both = utf8("{\"prompt\":\"x\",\"messages\":[{\"role\":\"user\",\"content\":\"y\"}]}");
        assertThat(TokenizeBody.parse(both)).isInstanceOf(TokenizeBody.Chat.class);
        assertThat(TokenizeBody.parseVersion2(both)).isInstanceOf(TokenizeBody.Prompt.class);
        assertThat(TokenizeBody.parse(utf8("{\"prompt\":\"x\",\"messages\":\"bad\"}"))).isInstanceOf(TokenizeBody.Prompt.class);
        assertThat(TokenizeBody.parse(utf8("{\"prompt\":3,\"messages\":[{\"role\":\"user\",\"content\":\"y\"}]}")))
                .isInstanceOf(TokenizeBody.Chat.class);
    }

    @Test
    void noModelIsNoModel() {
        for (String model : List.of("", "\"model\":null,", "\"model\":\"\",")) {
            assertThat(prompt("{" + model + "\"prompt\":\"x\"}").model()).isEmpty();
        }
        assertThat(prompt("{\"model\":\"m\",\"prompt\":\"x\"}").model()).isEqualTo(Optional.of("m"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"role\":\"user\"}",
                "{\"role\":\"user\",\"content\":[5]}",
                "{\"role\":\"user\",\"content\":{\"a\":1}}",
                "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":\"x\"}",
                "{\"role\":\"function\",\"content\":null,\"name\":\"f\"}",
                "{\"role\":\"captain\",\"content\":[{\"type\":\"hologram\"},\"x\"]}",
                "{\"role\":\"user\",\"content\":\"x\",\"tool_call_id\":5,\"zzz\":1}",
                "{\"role\":\"\"}"
            })
    void messagesAreTakenAsPydanticTakesThem(String message) {
        assertThat(TokenizeBody.parse(utf8("{\"messages\":[" + message + "]}"))).isInstanceOf(TokenizeBody.Chat.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"x\"",
                "{\"content\":\"x\"}",
                "{\"role\":5}",
                "{\"role\":\"user\",\"content\":null}",
                "{\"role\":\"system\",\"content\":null}",
                "{\"role\":\"tool\",\"content\":null,\"tool_call_id\":\"t\"}",
                "{\"role\":\"assistant\",\"content\":5}",
                "{\"role\":\"captain\",\"content\":[5]}",
                "{\"role\":\"user\",\"content\":\"x\",\"name\":5}"
            })
    void whatIsNoMessageIsAFaultOfTheBody(String message) {
        assertThatThrownBy(() -> TokenizeBody.parse(utf8("{\"messages\":[" + message + "]}")))
                .isInstanceOfSatisfying(InvalidBodyException.class, e -> assertThat(e.param()).isEqualTo("body.prompt"));
    }

    @Test
    void toolsGetWhatTheyLack() {
        TokenizeBody body = TokenizeBody.parse(utf8("{\"messages\":[{\"role\":\"user\",\"content\":\"x\"}],\"tools\":["
                + "{\"function\":{\"x\":1,\"name\":\"f\",\"strict\":\"yes\"},\"y\":2,\"defer_loading\":true}]}"));
        assertThat(((TokenizeBody.Chat) body).chat().tools())
                .hasToString("[{type=function, function={name=f, description=null, parameters=null, strict=true, defer_loading=true},"
                        + " defer_loading=true}]");
    }

    @Test
    void bothFlagsAtOnceContradict() {
        String flags = "\"continue_final_message\":1,\"add_generation_prompt\":\"yes\"}";
        assertThatThrownBy(() -> TokenizeBody.parse(utf8("{\"prompt\":\"x\"," + flags)))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("Cannot set both");
        assertThat(TokenizeBody.parseVersion2(utf8("{\"prompt\":\"x\"," + flags))).isInstanceOf(TokenizeBody.Prompt.class);
        assertThat(faults(() -> TokenizeBody.parseVersion2(utf8("{\"messages\":[]," + flags))))
                .containsExactly(
                        "missing [\"body\",\"function-wrap[__log_extra_fields__()]\",\"prompt\"]",
                        "value_error [\"body\",\"function-wrap[__log_extra_fields__()]\"]");
    }

    @Test
    void happyFlagsGoByPythonsTruth() {
        assertThat(HappyBody.encode(utf8("{\"text\":\"x\",\"with_tokens_str\":\"no\",\"vanilla\":\"false\"}"), true, false))
                .isEqualTo(new HappyBody.Encode(Optional.empty(), "x", true, true));
        assertThat(HappyBody.encode(utf8("{\"text\":\"x\",\"with_tokens_str\":[],\"vanilla\":0,\"model\":5}"), true, false))
                .isEqualTo(new HappyBody.Encode(Optional.empty(), "x", false, false));
    }

    @Test
    void aModelCountsWhereThereIsAChoice() {
        byte[] body = utf8("{\"text\":\"x\",\"model\":\"m\"}");
        assertThat(HappyBody.encode(body, true, true).model()).isEqualTo(Optional.of("m"));
        assertThat(HappyBody.encode(body, true, false).model()).isEmpty();
        assertThat(HappyBody.split(body, true, true).model()).isEqualTo(Optional.of("m"));
        assertThat(faults(() -> HappyBody.split(body, true, false))).containsExactly("extra_forbidden [\"body\",\"model\"]");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "[\"7\"]|int_type",
                "[7.0]|int_type",
                "[\"x\"]|int_parsing",
                "[7.5]|int_from_float",
                "[4294967296]|less_than_equal",
                "[-1]|greater_than_equal"
            })
    void happyTakesNumbersThatAreNumbers(String ids, String type) {
        assertThat(faults(() -> HappyBody.decode(utf8("{\"token_ids\":" + ids + "}"), true, false)))
                .containsExactly(type + " [\"body\",\"token_ids\",0]");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\"truncation_side\":\"middle\"|literal_error [\"body\",\"truncation_side\"]",
                "\"truncation_side\":null|string_type [\"body\",\"truncation_side\"]",
                "\"max_length\":-3|greater_than_equal [\"body\",\"max_length\"]",
                "\"max_length\":\"5\"|int_type [\"body\",\"max_length\"]",
                "\"max_length\":5.0|int_type [\"body\",\"max_length\"]",
                "\"max_length\":5.5|int_from_float [\"body\",\"max_length\"]",
                "\"max_length\":99999999999999999999|less_than_equal [\"body\",\"max_length\"]",
                "\"zzz\":1|extra_forbidden [\"body\",\"zzz\"]"
            })
    void whatHappyFailsAtIsAFault(String field, String fault) {
        assertThat(faults(() -> HappyBody.metadata(utf8("{\"text\":\"x\"," + field + "}"), true, false))).containsExactly(fault);
    }

    @Test
    void aBodyThatIsNoObjectIsAFault() {
        assertThat(faults(() -> TokenizeBody.parse(new byte[0]))).containsExactly("missing [\"body\"]");
        assertThat(faults(() -> TokenizeBody.parse(utf8("null")))).containsExactly("missing [\"body\"]");
        assertThat(faults(() -> TokenizeBody.parse(utf8("[1]")))).containsExactly("model_attributes_type [\"body\"]");
        assertThat(faults(() -> TokenizeBody.parse(utf8("{\"a\":1}}")))).containsExactly("json_invalid [\"body\",7]");
        assertThat(faults(() -> HappyBody.encode(utf8("{\"text\":\"x\"}"), false, false)))
                .containsExactly("model_attributes_type [\"body\"]");
        assertThatThrownBy(() -> TokenizeBody.parse(new byte[] {'"', (byte) 0xC3, '"'}))
                .isInstanceOf(InvalidRequestException.class);
    }
}
