package io.glyphgate.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.glyphgate.spi.KvConnector;
import io.glyphgate.spi.KvConnectorProvider;
import io.glyphgate.spi.KvTransfer;
import java.io.IOException;
import java.net.URI;
import java.util.Map;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What every KV connector keeps. Extend it, name the provider and an answer of its prefill servers, and run it. */
public abstract class KvConnectorContract {
    /** For subclasses. */
    protected KvConnectorContract() {}

    /**
     * The provider to test.
     *
     * @return a new one or always the same
     */
    protected abstract KvConnectorProvider provider();

    /**
     * What a prefill server answers to a request of this connector.
     *
     * @param asked what it was asked with, {@link KvTransfer#prefillParams()}
     * @return {@code kv_transfer_params} of its answer; empty if it answers none
     */
    protected abstract Map<String, @Nullable Object> answer(Map<String, @Nullable Object> asked);

    /**
     * Options that the provider takes.
     *
     * @return none by default
     */
    protected Map<String, String> options() {
        return Map.of();
    }

    /**
     * The prefill server of the tests.
     *
     * @return an address where nobody listens by default
     */
    protected URI prefillServer() {
        return URI.create("http://127.0.0.1:1");
    }

    /**
     * Begins a transfer of a request.
     *
     * @param connector the connector
     * @param id the ID of the request, without vLLM's prefix
     * @return the transfer
     * @throws IOException if the connector cannot arrange it
     */
    protected final KvTransfer begin(KvConnector connector, String id) throws IOException {
        return connector.begin(new KvConnector.TransferRequest() {
            @Override
            public String serverRequestId() {
                return "generate-tokens-" + id;
            }

            @Override
            public URI prefillServer() {
                return KvConnectorContract.this.prefillServer();
            }
        });
    }

    @Test
    void theServiceLoaderFindsIt() {
        assertThat(ServiceLoader.load(KvConnectorProvider.class))
                .anyMatch(found -> found.name().equals(provider().name()));
    }

    @Test
    void anUnknownOptionIsRefusedByName() {
        assertThatThrownBy(() -> provider().create(Map.of("no-such-option", "1")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no-such-option");
    }

    @Test
    void theDecodeServerIsToldWhereThePromptIs() throws IOException {
        KvConnector connector = provider().create(options());
        for (String id : new String[] {"a", "b"}) {
            KvTransfer transfer = begin(connector, id);
            Map<String, @Nullable Object> answered = answer(transfer.prefillParams());
            var atOnce = transfer.paramsAtOnce();
            var after = transfer.decodeParams(answered);
            assertThat(after).isPresent();
            atOnce.ifPresent(params -> assertThat(after).hasValue(params));
        }
    }

    @Test
    void whatServersAreToldIsJson() throws IOException {
        KvTransfer transfer = begin(provider().create(options()), "a");
        assertThat(transfer.prefillParams()).allSatisfy((name, value) -> assertJson(value));
        assertThat(transfer.decodeParams(answer(transfer.prefillParams())).orElseThrow())
                .allSatisfy((name, value) -> assertJson(value));
        assertThat(transfer.prefillHeaders()).allSatisfy((name, value) -> assertThat(value).matches("[ -~]*"));
    }

    private static void assertJson(@Nullable Object value) {
        if (value instanceof Map<?, ?> map) {
            map.forEach((name, inner) -> {
                assertThat(name).isInstanceOf(String.class);
                assertJson(inner);
            });
        } else if (value instanceof Iterable<?> list) {
            list.forEach(KvConnectorContract::assertJson);
        } else if (value != null) {
            assertThat(value).isInstanceOfAny(String.class, Number.class, Boolean.class);
        }
    }
}
