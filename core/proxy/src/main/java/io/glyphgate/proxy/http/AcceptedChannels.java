package io.glyphgate.proxy.http;

import io.helidon.common.socket.SocketOptions;
import io.helidon.webserver.ConnectionContext;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketOption;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Options of the sockets of clients, which keep hold of the channel of each. Helidon 4.5.0 shows a channel once, when it is accepted,
 * and its connection later goes by a name that is made of the channel.
 */
final class AcceptedChannels implements SocketOptions {
    /** So many are kept before the closed ones are looked for. */
    private static final int FEW = 256;

    private final SocketOptions options;
    private final Map<String, SocketChannel> accepted = new HashMap<>();
    private int most = FEW;

    AcceptedChannels(SocketOptions options) {
        this.options = options;
    }

    @Override
    public void configureSocket(SocketChannel channel) {
        options.configureSocket(channel);
        synchronized (accepted) {
            if (accepted.size() >= most) {
                // nobody asks for those that end before they say anything, as a load balancer's probes do
                accepted.values().removeIf(other -> !other.isOpen());
                most = Math.max(FEW, 2 * accepted.size());
            }
            accepted.put("0x" + HexFormat.of().toHexDigits(System.identityHashCode(channel)), channel);
        }
    }

    /** How many channels are kept. */
    int size() {
        synchronized (accepted) {
            return accepted.size();
        }
    }

    /** The channel of a connection, which is asked for once; null if it cannot be told for sure. */
    @Nullable SocketChannel take(ConnectionContext connection) {
        SocketChannel channel;
        synchronized (accepted) {
            channel = accepted.remove(connection.childSocketId());
        }
        if (channel == null || connection.isSecure()) {
            return null;
        }
        try {
            // two channels may have one name
            return channel.getRemoteAddress() instanceof InetSocketAddress address
                            && address.getPort() == connection.remotePeer().port()
                    ? channel
                    : null;
        } catch (IOException e) {
            return null; // its client is gone already
        }
    }

    @Override
    public Map<SocketOption<?>, Object> socketOptions() {
        return options.socketOptions();
    }

    @Override
    public Duration connectTimeout() {
        return options.connectTimeout();
    }

    @Override
    public Duration readTimeout() {
        return options.readTimeout();
    }

    @Override
    public Optional<Integer> socketReceiveBufferSize() {
        return options.socketReceiveBufferSize();
    }

    @Override
    public Optional<Integer> socketSendBufferSize() {
        return options.socketSendBufferSize();
    }

    @Override
    public boolean socketReuseAddress() {
        return options.socketReuseAddress();
    }

    @Override
    public boolean socketKeepAlive() {
        return options.socketKeepAlive();
    }

    @Override
    public boolean tcpNoDelay() {
        return options.tcpNoDelay();
    }
}
