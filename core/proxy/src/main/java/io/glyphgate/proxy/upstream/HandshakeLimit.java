package io.glyphgate.proxy.upstream;

import io.helidon.webclient.api.ConnectedSocketChannelInfo;
import io.helidon.webclient.api.ConnectedSocketInfo;
import io.helidon.webclient.api.ConnectionListener;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Limits how long a TLS handshake may be silent. Helidon 4.5.0 sets its limits on a connection that stands, and one to a server
 * that takes connections but says nothing stands never. Keeps the socket below TLS for the thread that connects, because Helidon shows it
 * here alone.
 *
 * @param limit how long; each request then sets a limit of its own
 */
record HandshakeLimit(Duration limit) implements ConnectionListener {
    private static final ThreadLocal<@Nullable Socket> CONNECTED = new ThreadLocal<>();

    /** The socket that this thread has connected last; asked for once. */
    static Socket connected() {
        Socket socket = CONNECTED.get();
        CONNECTED.remove();
        return Objects.requireNonNull(socket, "Helidon tells of each socket");
    }

    /** Lets go of it, where it is not asked for. */
    static void forget() {
        CONNECTED.remove();
    }

    @Override
    public void socketConnected(ConnectedSocketInfo connected) throws IOException {
        CONNECTED.set(connected.socket());
        connected.socket().setSoTimeout((int) limit.toMillis());
    }

    @Override
    public void socketChannelConnected(ConnectedSocketChannelInfo connected) {
        throw new UnsupportedOperationException("connections are sockets");
    }
}
