package io.glyphgate.proxy.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.glyphgate.spi.InvalidRequestException;
import io.glyphgate.spi.ToolChoice;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GenerateBodyTest {
    private static final String BODY = "{\"model\":\"m\",\"token_ids\":[1,2],\"sampling_params\":{\"temperature\":0.70000000000000000001,"
            + "\"stop\":[\"x\"],\"n\":2},\"zzz\":{\"a\":[1.10,12345678901234567890]},\"output_mode\":\"text\"}";

    @Test
    void readsWhatTheProxyNeeds() {
        GenerateBody body = parse(BODY);
        assertThat(body.model()).isEqualTo("m");
        assertThat(body.promptTokenIds()).containsExactly(1, 2);
        assertThat(body.stop()).containsExactly("x");
        assertThat(body.choices()).isEqualTo(2);
        assertThat(body.outputMode()).isEqualTo("text");
        assertThat(body.stream()).isFalse();
        assertThat(body.field("zzz", "a")).get().asString().contains("12345678901234567890");
        assertThat(body.field("nothing", "there")).isEmpty();
    }

    @Test
    void unknownFieldsAndDigitsReachTheServerAsTheyCame() {
        Map<String, @Nullable JsonEdit> edits = new LinkedHashMap<>();
        edits.put("output_mode", null);
        edits.put("model", JsonEdit.string("other"));
        edits.put("sampling_params", parse(BODY).sampling(List.of("stop"), Map.of(), null));
        assertThat(new String(parse(BODY).edit(edits), StandardCharsets.UTF_8))
                .isEqualTo("{\"token_ids\":[1,2],\"zzz\":{\"a\":[1.10,12345678901234567890]},\"model\":\"other\",\"sampling_params\":"
                        + "{\"temperature\":0.70000000000000000001,\"n\":2}}");
    }

    @Test
    void anUnchangedBodyIsTheSameBytes() {
        byte[] bytes = BODY.getBytes(StandardCharsets.UTF_8);
        Map<String, @Nullable JsonEdit> edits = new LinkedHashMap<>();
        edits.put("parse_context", null);
        assertThat(GenerateBody.parse(bytes).edit(edits)).isSameAs(bytes);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock = """
            {"sampling_params":{}}                                              | token_ids
            {"token_ids":[],"sampling_params":{}}                               | token_ids
            {"token_ids":[1]}                                                   | sampling_params
            {"token_ids":[1,-1],"sampling_params":{}}                           | token_ids[1]
            {"token_ids":[1.5],"sampling_params":{}}                            | token_ids[0]
            {"token_ids":[99999999999],"sampling_params":{}}                    | token_ids[0]
            {"token_ids":["a"],"sampling_params":{}}                            | token_ids[0]
            {"token_ids":[[1]],"sampling_params":{}}                            | token_ids[0]
            {"token_ids":"1","sampling_params":{}}                              | token_ids
            {"token_ids":[1],"sampling_params":[]}                              | sampling_params
            {"token_ids":[1],"sampling_params":{"n":0}}                         | sampling_params.n
            {"token_ids":[1],"sampling_params":{"stop":[1]}}                    | sampling_params.stop[0]
            {"token_ids":[1],"sampling_params":{"stop":[""]}}                   | sampling_params.stop[0]
            {"token_ids":[1],"sampling_params":{"stop":5}}                      | sampling_params.stop
            {"token_ids":[1],"sampling_params":{"detokenize":"no"}}             | sampling_params.detokenize
            {"token_ids":[1],"sampling_params":{},"stream":1}                   | stream
            {"token_ids":[1],"sampling_params":{},"model":5}                    | model
            {"token_ids":[1],"sampling_params":{},"stream_options":[]}          | stream_options
            {not json                                                           | ''
            [1]                                                                 | ''
            {"token_ids":[1],"sampling_params":{}} x                            | ''
            """)
    void namesTheFieldThatIsWrong(String text, String param) {
        assertThatThrownBy(() -> parse(text)).isInstanceOfSatisfying(
                InvalidRequestException.class, e -> assertThat(e.param()).isEqualTo(param));
    }

    @Test
    void refusesOtherEncodings() {
        byte[] utf16 = BODY.getBytes(StandardCharsets.UTF_16);
        assertThatThrownBy(() -> GenerateBody.parse(utf16)).isInstanceOf(InvalidRequestException.class).hasMessageContaining("UTF-8");
    }

    @Test
    void readsAParseContext() {
        ParseRequest parse = parse("{\"token_ids\":[1],\"sampling_params\":{},\"parse_context\":{\"tools\":[{\"type\":\"function\",\"function\":"
                        + "{\"name\":\"f\",\"parameters\":{\"type\":\"object\"}}}],\"tool_choice\":{\"type\":\"function\",\"function\":{\"name\":\"f\"}},"
                        + "\"parallel_tool_calls\":false,\"include_reasoning\":false,\"chat_template_kwargs\":{\"enable_thinking\":false},"
                        + "\"history_tool_call_cnt\":3}}")
                .parseRequest();
        assertThat(parse.tools()).singleElement().satisfies(tool -> {
            assertThat(tool.name()).isEqualTo("f");
            assertThat(tool.parameters()).containsEntry("type", "object");
        });
        assertThat(parse.toolChoice()).isEqualTo(ToolChoice.named("f"));
        assertThat(parse.parallelToolCalls()).isFalse();
        assertThat(parse.includeReasoning()).isFalse();
        assertThat(parse.chatTemplateArguments()).containsEntry("enable_thinking", false);
        assertThat(parse.earlierToolCalls()).isEqualTo(3);
    }

    @Test
    void aChatRequestWithToolsLeavesTheChoiceToTheModelAndAParseContextDoesNot() {
        String tools = "{\"tools\":[{\"function\":{\"name\":\"f\"}}]}";
        assertThat(parse("{\"token_ids\":[1],\"sampling_params\":{},\"chat_request\":" + tools + "}").parseRequest().toolChoice())
                .isEqualTo(ToolChoice.AUTO);
        assertThat(parse("{\"token_ids\":[1],\"sampling_params\":{},\"parse_context\":" + tools + "}").parseRequest().toolChoice())
                .isEqualTo(ToolChoice.NONE);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock = """
            "parse_context":{"zzz":1}                                                                     | parse_context.zzz
            "parse_context":{"tool_choice":{"function":{"name":"g"}}}                                     | parse_context.tool_choice
            "parse_context":{"tool_choice":"maybe"}                                                       | parse_context.tool_choice
            "parse_context":{"tools":[{"function":{}}]}                                                   | parse_context.tools[0].function.name
            "parse_context":{"tools":5}                                                                   | parse_context.tools
            "parse_context":{"history_tool_call_cnt":-1}                                                  | parse_context.history_tool_call_cnt
            "chat_request":{"include_reasoning":"yes"}                                                    | chat_request.include_reasoning
            "chat_request":5                                                                              | chat_request
            "parse_context":{},"chat_request":{}                                                          | chat_request
            """)
    void namesTheFieldOfAParseContextThatIsWrong(String fields, String param) {
        GenerateBody body = parse("{\"token_ids\":[1],\"sampling_params\":{}," + fields + "}");
        assertThatThrownBy(body::parseRequest).isInstanceOfSatisfying(
                InvalidRequestException.class, e -> assertThat(e.param()).isEqualTo(param));
    }

    private static GenerateBody parse(String text) {
        return GenerateBody.parse(text.getBytes(StandardCharsets.UTF_8));
    }
}
