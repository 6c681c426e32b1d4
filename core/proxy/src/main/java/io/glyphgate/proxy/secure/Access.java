package io.glyphgate.proxy.secure;

import java.util.Optional;
import javax.net.ssl.SSLContext;

/**
 * How the servers of a pool are reached, beside their addresses.
 *
 * @param tls what handshakes with https endpoints are made with; empty for the JDK's default
 * @param serverName the name that a server must show; empty for the host of its address
 * @param verifyHost whether the name is compared at all
 * @param authorization the value of {@code Authorization} that goes with each request; empty for none
 */
public record Access(
        Optional<SSLContext> tls, Optional<String> serverName, boolean verifyHost, Optional<String> authorization) {
    /** Without a key, and as the JDK trusts. */
    public static final Access PLAIN = new Access(Optional.empty(), Optional.empty(), true, Optional.empty());

    /** Says nothing of the key. */
    @Override
    public String toString() {
        return "Access[tls=" + tls.isPresent() + ", serverName=" + serverName + ", verifyHost=" + verifyHost + ", key="
                + authorization.isPresent() + "]";
    }
}
