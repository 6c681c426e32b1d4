package io.glyphgate.proxy.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class WatchTest {
    private static final int LIMIT = 20_000;

    /** Else the loop takes the start of the next request while the connection's thread waits for it on the socket. */
    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD) // a thread that waits for the loop's read cannot be woken
    void nothingIsReadOnTheLoopOnceAWatchIsClosed() throws IOException {
        try (Loops loops = new Loops(1);
                ServerSocketChannel door = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                SocketChannel client = SocketChannel.open(door.getLocalAddress());
                SocketChannel server = door.accept()) {
            server.socket().setSoTimeout(LIMIT);
            AtomicInteger taken = new AtomicInteger();
            for (int round = 0; round < 5_000; round++) {
                Watch watch = loops.next().watch(server, () -> {
                    taken.addAndGet(server.read(ByteBuffer.allocate(1)));
                    return true;
                });
                loops.turn();
                client.write(ByteBuffer.wrap(new byte[] {1}));
                watch.close();
                int ahead = taken.getAndSet(0);
                assertThat(ahead == 1 || server.socket().getInputStream().read() == 1).isTrue();
                assertThat(taken).hasValue(0);
            }
        }
    }
}
