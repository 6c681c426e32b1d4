package io.glyphgate.proxy.secure;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;

/** Makes what the JDK makes handshakes with. */
final class Contexts {
    private Contexts() {}

    /**
     * A context for either side.
     *
     * @param identity what is shown to the other side, asked for at each handshake; empty to show nothing
     * @param issuers whose certificates are trusted; empty for those that the JDK trusts
     */
    static SSLContext of(Optional<Supplier<Identity>> identity, Optional<List<X509Certificate>> issuers) throws IOException {
        try {
            KeyManager[] shown = identity.map(latest -> new KeyManager[] {new ShownIdentity(latest)}).orElse(new KeyManager[0]);
            TrustManager[] trusted = issuers.isPresent() ? trust(issuers.get()) : null; // null is the JDK's own
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(shown, trusted, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IOException("the JDK makes no TLS of it: " + e.getMessage(), e);
        }
    }

    private static TrustManager[] trust(List<X509Certificate> issuers) throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        for (int i = 0; i < issuers.size(); i++) {
            store.setCertificateEntry("issuer-" + i, issuers.get(i));
        }
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        return factory.getTrustManagers();
    }
}
