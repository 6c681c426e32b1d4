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

class SharedStorageTest extends KvConnectorContract {
    @Override
    protected KvConnectorProvider provider() {
        return new SharedStorage();
    }

    @Override
    protected Map<String, @Nullable Object> answer(Map<String, @Nullable Object> asked) {
        return Map.of();
    }

    @Test
    void nobodyIsToldAnything() throws IOException {
        KvConnector connector = provider().create(Map.of());
        KvTransfer transfer = begin(connector, "a");
        assertThat(transfer.prefillParams()).isEmpty();
        assertThat(transfer.decodeParams(Map.of()).orElseThrow()).isEmpty();
        assertThat(transfer.held()).isFalse();
        assertThat(connector.sharable()).isTrue();
    }
}
