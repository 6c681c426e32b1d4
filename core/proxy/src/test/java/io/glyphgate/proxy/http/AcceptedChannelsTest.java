package io.glyphgate.proxy.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.helidon.common.socket.SocketOptions;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class AcceptedChannelsTest {
    private static final int MANY = 5_000;

    /** A load balancer's probe connects and leaves; Helidon makes no connection of it, so nobody asks for its channel. */
    @Test
    void whoEndsBeforeItSpeaksIsForgotten() throws IOException {
        AcceptedChannels accepted = new AcceptedChannels(SocketOptions.create());
        List<SocketChannel> silent = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            SocketChannel channel = SocketChannel.open();
            accepted.configureSocket(channel);
            if (i % 50 == 0) {
                silent.add(channel);
            } else {
                channel.close();
            }
        }
        assertThat(accepted.size()).isBetween(silent.size(), 600);
        for (SocketChannel channel : silent) {
            channel.close();
        }
    }
}
