package io.glyphgate.plugin.kvconnectors;

import static org.assertj.core.api.Assertions.assertThat;

import io.glyphgate.spi.KvConnector;
import io.glyphgate.spi.KvConnectorProvider;
import io.glyphgate.spi.KvTransfer;
import io.glyphgate.testkit.KvConnectorContract;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class NixlTest extends KvConnectorContract {
    @Override
    protected KvConnectorProvider provider() {
        return new Nixl();
    }

    /** As a prefill server of vLLM 0.33 answers. */
    @Override
    protected Map<String, @Nullable Object> answer(Map<String, @Nullable Object> asked) {
        assertThat(asked).containsOnly(Map.entry("do_remote_decode", true), Map.entry("do_remote_prefill", false));
        Map<String, @Nullable Object> answer = new LinkedHashMap<>();
        answer.put("do_remote_prefill", true);
        answer.put("do_remote_decode", false);
        answer.put("remote_block_ids", List.of(List.of(1, 2)));
        answer.put("remote_engine_id", "e");
        answer.put("remote_request_id", "generate-tokens-a-00000000");
        answer.put("remote_host", "10.0.0.1");
        answer.put("remote_port", 5600);
        answer.put("tp_size", 1);
        answer.put("remote_blocks_expiry_time", null);
        answer.put("remote_field_of_tomorrow", 1.5);
        return answer;
    }

    @Test
    void theAnswerIsPassedOnAsItIs() throws IOException {
        KvConnector connector = provider().create(Map.of());
        KvTransfer transfer = begin(connector, "a");
        Map<String, @Nullable Object> answer = answer(transfer.prefillParams());
        assertThat(transfer.paramsAtOnce()).isEmpty();
        assertThat(transfer.decodeParams(answer)).hasValue(answer);
        assertThat(transfer.held()).isTrue();
        assertThat(transfer.endsByLength()).isFalse();
        assertThat(connector.sharable()).isFalse();
    }

    @Test
    void anAnswerWithoutParametersGivesNothingAway() throws IOException {
        KvTransfer transfer = begin(provider().create(Map.of()), "a");
        assertThat(transfer.decodeParams(Map.of())).isEmpty();
        assertThat(transfer.decodeParams(Map.of("do_remote_prefill", false))).isEmpty();
    }
}
