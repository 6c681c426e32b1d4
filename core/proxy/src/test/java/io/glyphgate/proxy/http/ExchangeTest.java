package io.glyphgate.proxy.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.glyphgate.proxy.config.ProxyConfig;
import io.glyphgate.proxy.generate.Client.EventStream;
import io.glyphgate.proxy.observe.Ticker;
import io.glyphgate.proxy.wire.Dialect;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.reflect.Proxy;
import java.nio.channels.ClosedByInterruptException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class ExchangeTest {
    private static final byte[] EVENT = "data: x\n\n".getBytes(StandardCharsets.US_ASCII);

    /** What is written to a client that takes an event, and then no byte more. */
    private static final class FullSocket extends OutputStream {
        private final CountDownLatch waits = new CountDownLatch(1);
        private final CountDownLatch never = new CountDownLatch(1);
        private boolean full;

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int from, int count) throws IOException {
            if (!full) {
                full = true;
                return;
            }
            waits.countDown();
            try {
                never.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new ClosedByInterruptException();
            }
        }
    }

    /** The thread of a request holds a place at its server until it is over, and no interrupt ends its wait for a lock. */
    @Test
    @Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void theEndOfAStreamDoesNotWaitForAClientThatTakesNoComment() throws Exception {
        FullSocket socket = new FullSocket();
        ServerResponse response = fake(ServerResponse.class, socket);
        ProxyConfig.Clients limits =
                new ProxyConfig.Clients(true, Duration.ofMinutes(1), Duration.ofMillis(500), Duration.ofMillis(100));
        try (Ticker ticker = new Ticker(Duration.ofMillis(20))) {
            Exchange client = new Exchange(fake(ServerRequest.class, socket), response, null, limits, ticker, Dialect.OPENAI);
            EventStream stream = client.stream(Map.of());
            stream.write(EVENT, 0, EVENT.length);
            stream.flush();
            socket.waits.await(); // the comment of a stream that is silent
            assertThat(stream.end()).isTrue();
            assertThat(client.gone()).isTrue();
            client.close();
            assertThat(ticker.size()).isZero();
        }
    }

    private static <T> T fake(Class<T> type, OutputStream out) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> method.getName().equals("outputStream") ? out : null));
    }
}
