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

class NixlPushTest extends KvConnectorContract {
    @Override
    protected KvConnectorProvider provider() {
        return new NixlPush();
    }

    @Override
    protected Map<String, @Nullable Object> answer(Map<String, @Nullable Object> asked) {
        return answer("e");
    }

    private static Map<String, @Nullable Object> answer(String engine) {
        Map<String, @Nullable Object> answer = new LinkedHashMap<>();
        answer.put("transfer_mode", "push");
        answer.put("do_remote_prefill", true);
        answer.put("remote_block_ids", List.of(List.of(1, 2)));
        answer.put("remote_engine_id", engine);
        answer.put("remote_host", "10.0.0.1");
        answer.put("remote_port", 5600);
        answer.put("tp_size", 2);
        answer.put("pp_size", 1);
        return answer;
    }

    @Test
    void bothServersAreAskedAtOnceFromTheSecondRequestOn() throws IOException {
        KvConnector connector = provider().create(Map.of());
        KvTransfer first = begin(connector, "a");
        assertThat(first.paramsAtOnce()).isEmpty();
        assertThat(first.decodeParams(answer("e")).orElseThrow())
                .containsEntry("remote_request_id", "generate-tokens-a")
                .containsEntry("remote_engine_id", "e")
                .containsEntry("tp_size", 2)
                .containsEntry("do_remote_prefill", true)
                .doesNotContainKey("remote_block_ids");
        KvTransfer second = begin(connector, "b");
        assertThat(second.paramsAtOnce().orElseThrow())
                .containsEntry("remote_request_id", "generate-tokens-b")
                .containsEntry("remote_engine_id", "e");
        assertThat(second.decodeParams(answer("e"))).isEqualTo(second.paramsAtOnce());
    }

    @Test
    void aServerThatWasStartedAnewGivesNothingToOneThatWaitsForTheOldOne() throws IOException {
        KvConnector connector = provider().create(Map.of());
        var unused = begin(connector, "a").decodeParams(answer("old"));
        KvTransfer second = begin(connector, "b");
        assertThat(second.decodeParams(answer("new"))).isEmpty();
        assertThat(begin(connector, "c").paramsAtOnce().orElseThrow()).containsEntry("remote_engine_id", "new");
    }

    @Test
    void anAnswerThatIsNotPushedGivesNothingAway() throws IOException {
        KvTransfer transfer = begin(provider().create(Map.of()), "a");
        assertThat(transfer.decodeParams(Map.of("transfer_mode", "pull", "do_remote_prefill", true))).isEmpty();
        assertThat(transfer.decodeParams(Map.of("transfer_mode", "push"))).isEmpty();
        assertThat(transfer.decodeParams(Map.of())).isEmpty();
    }
}
