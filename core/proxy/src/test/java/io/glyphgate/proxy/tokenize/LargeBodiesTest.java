package io.glyphgate.proxy.tokenize;

import static org.assertj.core.api.Assertions.assertThat;

import io.glyphgate.proxy.choice.OutputPlan;
import io.glyphgate.proxy.config.ProxyConfig;
import io.glyphgate.proxy.generate.Client;
import io.glyphgate.proxy.generate.ClientGoneException;
import io.glyphgate.proxy.observe.Meters;
import io.glyphgate.proxy.route.Router;
import io.glyphgate.proxy.route.ServedModel;
import io.glyphgate.spi.Detokenizer;
import io.glyphgate.spi.DetokenizerOptions;
import io.glyphgate.spi.Tokenizer;
import io.glyphgate.testkit.TestTokenizer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Large bodies on the threads of requests, over a tokenizer that computes until it is told to stop, as native code does. */
class LargeBodiesTest {
    private static final int LIMIT_SECONDS = 20;
    private static final int LARGE = 1 << 20;

    private final Meters meters = new Meters();
    private final Endless tokenizer = new Endless();
    private final TokenDoors doors = new TokenDoors(
            router(tokenizer),
            (servers, model, client) -> {
                throw new IllegalStateException("no server has to be asked");
            },
            meters,
            false,
            "0");

    @AfterEach
    void close() {
        tokenizer.released = true;
        doors.close();
        meters.close();
    }

    private static Router router(Tokenizer tokenizer) {
        ProxyConfig.Model config = new ProxyConfig.Model(
                List.of(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                OptionalInt.empty(),
                Optional.empty(),
                OptionalInt.empty(),
                new ProxyConfig.ChatTemplate(Optional.empty(), ProxyConfig.ContentFormat.AUTO, Map.of()),
                Map.of());
        return new Router(
                List.of(new ServedModel("m", config, tokenizer, OutputPlan.Parsers.NONE, Map.of(), null)), List.of(), ProxyConfig.Prefer.ANY);
    }

    private CompletableFuture<Integer> ask(int length) {
        byte[] body = ("{\"prompt\":\"" + "x".repeat(length) + "\"}").getBytes(StandardCharsets.UTF_8);
        Answer answer = new Answer();
        Thread.ofVirtual().start(() -> doors.tokenize(body, answer));
        return answer.status;
    }

    @Test
    void smallBodiesAreAnsweredWhileLargeOnesRun() throws Exception {
        int processors = Runtime.getRuntime().availableProcessors();
        List<CompletableFuture<Integer>> large = new ArrayList<>();
        for (int i = 0; i < 4 * processors; i++) {
            large.add(ask(LARGE));
        }
        assertThat(tokenizer.started.await(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        for (int i = 0; i < 100; i++) {
            assertThat(ask(10).get(LIMIT_SECONDS, TimeUnit.SECONDS)).isEqualTo(200);
        }
        assertThat(large).noneMatch(CompletableFuture::isDone);
        tokenizer.released = true;
        for (CompletableFuture<Integer> each : large) {
            assertThat(each.get(LIMIT_SECONDS, TimeUnit.SECONDS)).isEqualTo(200);
        }
    }

    @Test
    void aClientThatLeavesNeedNotWait() throws Exception {
        CompletableFuture<Boolean> left = new CompletableFuture<>();
        Answer answer = new Answer();
        byte[] body = ("{\"prompt\":\"" + "x".repeat(LARGE) + "\"}").getBytes(StandardCharsets.UTF_8);
        Thread thread = Thread.ofVirtual().start(() -> {
            try {
                doors.tokenize(body, answer);
                left.complete(false);
            } catch (ClientGoneException e) {
                left.complete(true);
            }
        });
        assertThat(tokenizer.first.await(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        answer.gone = true;
        thread.interrupt();
        assertThat(left.get(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
    }

    /** Computes on large texts until it is released. */
    private static final class Endless implements Tokenizer {
        private final Tokenizer small = new TestTokenizer();
        private final CountDownLatch first = new CountDownLatch(1);
        private final CountDownLatch started =
                new CountDownLatch(Runtime.getRuntime().availableProcessors());
        private volatile boolean released;

        @Override
        public int[] encode(String text, boolean addSpecialTokens) {
            if (text.length() < LARGE) {
                return small.encode(text, addSpecialTokens);
            }
            first.countDown();
            started.countDown();
            while (!released) {
                Thread.onSpinWait();
            }
            return new int[] {1};
        }

        @Override
        public int vocabularySize() {
            return small.vocabularySize();
        }

        @Override
        public String decode(int[] tokenIds, boolean skipSpecialTokens) {
            return small.decode(tokenIds, skipSpecialTokens);
        }

        @Override
        public OptionalInt tokenId(String token) {
            return small.tokenId(token);
        }

        @Override
        public Optional<String> token(int tokenId) {
            return small.token(tokenId);
        }

        @Override
        public boolean isSpecial(int tokenId) {
            return small.isSpecial(tokenId);
        }

        @Override
        public Detokenizer detokenizer(DetokenizerOptions options) {
            return small.detokenizer(options);
        }

        @Override
        public void close() {}
    }

    /** A client that waits for its answer. */
    private static final class Answer implements Client {
        private final CompletableFuture<Integer> status = new CompletableFuture<>();
        private volatile boolean gone;

        @Override
        public Optional<String> header(String name) {
            return name.equals("Content-Type") ? Optional.of("application/json") : Optional.empty();
        }

        @Override
        public boolean gone() {
            return gone;
        }

        @Override
        public void linger(Duration delay) {
            throw new UnsupportedOperationException("these doors hand no prompts over");
        }

        @Override
        public void answer(int code, Map<String, String> headers, byte[] body) {
            status.complete(code);
        }

        @Override
        public EventStream stream(Map<String, String> headers) {
            throw new UnsupportedOperationException("these doors have no streams");
        }
    }
}
