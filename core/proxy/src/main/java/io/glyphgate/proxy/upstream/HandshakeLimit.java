package io.glyphgate.proxy.upstream;

import io.helidon.webclient.api.ConnectedSocketChannelInfo;
import io.helidon.webclient.api.ConnectedSocketInfo;
import io.helidon.webclient.api.ConnectionListener;
import java.io.IOException;
import java.time.Duration;

/**
 * Limits how long a TLS handshake may be silent. Helidon 4.5.0 sets its limits on a connection that stands, and one to a server
 * that takes connections but says nothing stands never.
 *
 * @param limit how long; each request then sets a limit of its own
 */
record HandshakeLimit(Duration limit) implements ConnectionListener {
    @Override
    public void socketConnected(ConnectedSocketInfo connected) throws IOException {
        connected.socket().setSoTimeout((int) limit.toMillis());
    }

    @Override
    public void socketChannelConnected(ConnectedSocketChannelInfo connected) {
        throw new UnsupportedOperationException("connections are sockets");
    }
}
