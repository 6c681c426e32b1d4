package io.glyphgate.plugin.kvconnectors;

import static org.assertj.core.api.Assertions.assertThat;

import io.glyphgate.spi.KvConnector;
import io.glyphgate.spi.KvConnectorProvider;
import io.glyphgate.spi.KvTransfer;
import io.glyphgate.testkit.KvConnectorContract;
import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LmCacheTest extends KvConnectorContract {
    @Override
    protected KvConnectorProvider provider() {
        return new LmCache();
    }

    @Override
    protected Map<String, @Nullable Object> answer(Map<String, @Nullable Object> asked) {
        return Map.of("num_lmcache_extra_cached_tokens", 16);
    }

    @Test
    void optionsGoToBothServersAndTheAnswerToTheSecond() throws IOException {
        KvConnector connector = provider().create(Map.of("lmcache.tag", "t"));
        KvTransfer transfer = begin(connector, "a");
        assertThat(transfer.prefillParams()).containsOnly(Map.entry("lmcache.tag", "t"));
        assertThat(transfer.decodeParams(answer(Map.of())).orElseThrow())
                .containsOnly(Map.entry("lmcache.tag", "t"), Map.entry("num_lmcache_extra_cached_tokens", 16));
        assertThat(transfer.held()).isFalse();
        assertThat(connector.sharable()).isTrue();
    }
}
