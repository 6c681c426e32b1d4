package io.glyphgate.proxy.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AnswerTest {
    private static final String EVENT = "{\"request_id\":\"r\",\"usage\":{\"a\":1.50},\"output_mode\":\"tokens\",\"choices\":[{\"index\":1,"
            + "\"finish_reason\":\"stop\",\"stop_reason\":7,\"token_ids\":[1,22,333],\"x\":1e400,\"logprobs\":null}],\"new\":[{}]}";

    private final Answer answer = new Answer();

    @Test
    void findsTheFields() throws MalformedJsonException {
        scan(EVENT);
        assertThat(answer.choiceCount()).isEqualTo(1);
        assertThat(answer.choice(0).index()).isEqualTo(1);
        assertThat(Arrays.copyOf(answer.choice(0).tokenIds(), answer.choice(0).tokenCount())).containsExactly(1, 22, 333);
        assertThat(answer.choice(0).finishReason()).isEqualTo("stop");
        assertThat(answer.choice(0).stopReason()).isEqualTo(7);
        assertThat(answer.choice(0).logprobs()).isNull();
        assertThat(answer.echoes("tokens")).isTrue();
        assertThat(answer.requestId()).isEqualTo("r");
        assertThat(answer.hasUsage()).isTrue();
        assertThat(answer.hasError()).isFalse();
        assertThat(answer.tokenCount()).isEqualTo(3);
    }

    @Test
    void whatIsNotChangedStaysAsItWas() throws MalformedJsonException {
        scan(EVENT);
        assertThat(written("tokens", null)).isEqualTo(EVENT);
    }

    @Test
    void changesOnlyWhatIsAskedFor() throws MalformedJsonException {
        scan(EVENT);
        ChoiceEdit edit = answer.choice(0).edit();
        edit.keepTokens(2);
        edit.finishReason("tool_calls");
        edit.stopReason("end");
        JsonOut added = new JsonOut();
        added.name("text").string("hi");
        edit.add(added);
        assertThat(written("text", new Usage(2, 3)))
                .isEqualTo("{\"request_id\":\"r\",\"usage\":{\"prompt_tokens\":2,\"total_tokens\":5,\"completion_tokens\":3,"
                        + "\"prompt_tokens_details\":null,\"completion_tokens_details\":null},\"output_mode\":\"text\",\"choices\":[{"
                        + "\"index\":1,\"finish_reason\":\"tool_calls\",\"stop_reason\":\"end\",\"token_ids\":[1,22],\"x\":1e400,"
                        + "\"text\":\"hi\",\"logprobs\":null}],\"new\":[{}]}");
    }

    @Test
    void addsWhatAShortServerLeavesOut() throws MalformedJsonException {
        scan("{ \"choices\" : [ { \"token_ids\" : [ 5 ] } ] }");
        answer.choice(0).edit().finishReason("stop");
        JsonOut added = new JsonOut();
        added.name("text").string("x");
        answer.choice(0).edit().add(added);
        assertThat(written("text", null))
                .isEqualTo("{\"output_mode\":\"text\",\"choices\":[{\"token_ids\" : [ 5 ],\"text\":\"x\",\"finish_reason\":\"stop\"}]}");
    }

    @Test
    void hidesTokensAndDropsChoices() throws MalformedJsonException {
        scan("{\"choices\":[{\"token_ids\":[5],\"sampling_mask\":[[1]],\"logprobs\":{\"content\":[]}},{\"index\":1,\"token_ids\":[6]}]}");
        answer.choice(0).edit().hideTokens();
        answer.choice(1).edit().drop();
        assertThat(written("derender", null))
                .isEqualTo("{\"output_mode\":\"derender\",\"choices\":[{\"token_ids\":null,\"sampling_mask\":null,\"logprobs\":null}]}");
    }

    @Test
    void cutsWhatBelongsToTokensThatAreNotKept() throws MalformedJsonException {
        scan("{\"choices\":[{\"token_ids\":[5,6],\"sampling_mask\":[[1],[2]],\"logprobs\":{\"content\":[{\"a\":1}, {\"b\":2}]}}]}");
        answer.choice(0).edit().keepTokens(1);
        assertThat(written("tokens", null))
                .isEqualTo("{\"output_mode\":\"tokens\",\"choices\":[{\"token_ids\":[5],\"sampling_mask\":[[1]],\"logprobs\":"
                        + "{\"content\":[{\"a\":1}]}}]}");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "", "[]", "{", "{\"choices\":[{\"token_ids\":[1,", "{\"choices\":[{\"token_ids\":[-1]}]}", "{\"a\":1} x", "{\"a\" 1}",
                "{\"choices\":[{\"token_ids\":[99999999999]}]}", "{\"choices\":[{\"token_ids\":\"x\"}]}", "{\"a\":\"b", "<html>", "{a:1}"
            })
    void refusesWhatIsNoAnswer(String text) {
        assertThatThrownBy(() -> scan(text)).isInstanceOf(MalformedJsonException.class);
    }

    private void scan(String text) throws MalformedJsonException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        answer.scan(bytes, 0, bytes.length);
    }

    private String written(String mode, @Nullable Usage usage) throws MalformedJsonException {
        JsonOut out = new JsonOut();
        answer.write(out, mode, usage);
        return new String(out.toByteArray(), StandardCharsets.UTF_8);
    }
}
