package io.glyphgate.proxy.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class FlowTest {
    private final Loops loops = new Loops(1);
    private SocketChannel here;
    private SocketChannel there;

    @BeforeEach
    void connect() throws IOException {
        try (ServerSocketChannel server =
                ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            here = SocketChannel.open(server.getLocalAddress());
            there = server.accept();
        }
    }

    @AfterEach
    void close() throws IOException {
        here.close();
        there.close();
        loops.close();
    }

    private void say(String text) throws IOException {
        there.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII)));
    }

    private String hear() throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(100);
        int count = here.read(bytes);
        return count < 0 ? "end" : new String(bytes.array(), 0, count, StandardCharsets.US_ASCII);
    }

    @Test
    void flowsUntilTheStepHasEnoughAndCanFlowAgain() throws Exception {
        StringBuilder heard = new StringBuilder();
        for (int round = 0; round < 100; round++) { // the loop forgets a socket before it waits for it again
            say("a");
            Flow flow = loops.next().flow(here, () -> {
                assertThat(Loop.isCurrent()).isTrue();
                heard.append(hear());
                if (heard.charAt(heard.length() - 1) == 'a') {
                    say("b");
                    return true;
                }
                return false;
            });
            flow.run();
            assertThat(heard).endsWith("ab");
            assertThat(here.isBlocking()).isTrue();
        }
        assertThat(heard).hasSize(200);
        assertThat(Loop.isCurrent()).isFalse();
    }

    @Test
    void whatAStepThrowsIsThrownToItsThread() throws Exception {
        for (Throwable thrown : new Throwable[] {new IOException("x"), new IllegalStateException("x"), new StackOverflowError("x")}) {
            say("a");
            Flow flow = loops.next().flow(here, () -> {
                switch (thrown) {
                    case IOException e -> throw e;
                    case RuntimeException e -> throw e;
                    default -> throw (Error) thrown;
                }
            });
            assertThatThrownBy(flow::run).isSameAs(thrown);
            assertThat(hear()).isEqualTo("a");
        }
    }

    @Test
    void anInterruptEndsIt() throws Exception {
        CountDownLatch heard = new CountDownLatch(1);
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        Thread thread = Thread.ofVirtual().start(() -> {
            try {
                loops.next().flow(here, () -> {
                            heard.countDown();
                            return hear().equals("a");
                        })
                        .run();
                interrupted.complete(false);
            } catch (InterruptedException e) {
                interrupted.complete(true);
            } catch (IOException e) {
                interrupted.completeExceptionally(e);
            }
        });
        say("a");
        heard.await();
        thread.interrupt();
        assertThat(interrupted.get()).isTrue();
        assertThat(here.isBlocking()).isTrue();
        say("b");
        assertThat(hear()).isEqualTo("b"); // and not the step
    }

    @Test
    void anotherThreadMayEndItBeforeItBeginsOrLater() throws Exception {
        Flow early = loops.next().flow(here, () -> {
            throw new IllegalStateException("it was cancelled");
        });
        early.cancel();
        early.run();
        Flow late = loops.next().flow(here, () -> true);
        Thread.ofVirtual().start(late::cancel);
        late.run();
        assertThat(here.isOpen()).isTrue();
    }

    @Test
    void theEndOfTheSocketIsSomethingToRead() throws Exception {
        there.close();
        StringBuilder heard = new StringBuilder();
        loops.next().flow(here, () -> {
                    heard.append(hear());
                    return false;
                })
                .run();
        assertThat(heard).hasToString("end");
    }

    @Test
    void whereTheLoopsEndItIsOver() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        Thread.ofVirtual().start(() -> {
            try {
                begun.await();
            } catch (InterruptedException e) {
                return; // the test is over
            }
            loops.close();
        });
        say("a");
        loops.next().flow(here, () -> {
                    begun.countDown();
                    return !hear().equals("end");
                })
                .run();
    }

    @Test
    void aWatchedSocketCanBeWaitedFor() throws Exception {
        CompletableFuture<String> heard = new CompletableFuture<>();
        Watch watch = loops.next().watch(here, () -> heard.complete(hear()));
        loops.turn();
        ByteBuffer much = ByteBuffer.allocate(32 << 20);
        while (here.write(much) > 0) {} // until there is no room
        assertThat(much.hasRemaining()).isTrue();
        Thread.ofVirtual().start(() -> {
            try {
                ByteBuffer taken = ByteBuffer.allocate(1 << 20);
                for (long left = much.capacity(); left > 0; left -= there.read(taken.clear())) {}
                say("thanks");
            } catch (IOException e) {
                heard.completeExceptionally(e);
            }
        });
        while (much.hasRemaining()) {
            watch.awaitWritable();
            here.write(much);
        }
        assertThat(heard.get()).isEqualTo("thanks");
        watch.close();
        assertThat(here.isBlocking()).isTrue();
    }

    @Test
    void anInterruptEndsTheWaitForRoomAndTheSocket() throws Exception {
        Watch watch = loops.next().watch(here, () -> true);
        loops.turn();
        while (here.write(ByteBuffer.allocate(1 << 20)) > 0) {} // until there is no room
        Thread.currentThread().interrupt();
        assertThatThrownBy(watch::awaitWritable).isInstanceOf(java.nio.channels.ClosedByInterruptException.class);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(here.isOpen()).isFalse();
        watch.close();
    }
}
