package io.glyphgate.proxy.secure;

import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.function.Supplier;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/** Shows the other side of a handshake a certificate, the latest one that was read. */
final class ShownIdentity extends X509ExtendedKeyManager {
    private static final String ONLY = "only";

    private final Supplier<Identity> latest;

    ShownIdentity(Supplier<Identity> latest) {
        this.latest = latest;
    }

    private @Nullable String alias(String... keyTypes) {
        String own = latest.get().key().getAlgorithm();
        for (String type : keyTypes) {
            if (type.equals(own)) {
                return ONLY;
            }
        }
        return null;
    }

    private String @Nullable [] aliases(String keyType) {
        String alias = alias(keyType);
        return alias == null ? null : new String[] {alias};
    }

    @Override
    public String @Nullable [] getClientAliases(String keyType, Principal @Nullable [] issuers) {
        return aliases(keyType);
    }

    @Override
    public @Nullable String chooseClientAlias(String[] keyTypes, Principal @Nullable [] issuers, @Nullable Socket socket) {
        return alias(keyTypes);
    }

    @Override
    public @Nullable String chooseEngineClientAlias(
            String[] keyTypes, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
        return alias(keyTypes);
    }

    @Override
    public String @Nullable [] getServerAliases(String keyType, Principal @Nullable [] issuers) {
        return aliases(keyType);
    }

    @Override
    public @Nullable String chooseServerAlias(String keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
        return alias(keyType);
    }

    @Override
    public @Nullable String chooseEngineServerAlias(
            String keyType, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
        return alias(keyType);
    }

    @Override
    public X509Certificate[] getCertificateChain(String alias) {
        return latest.get().chain().toArray(X509Certificate[]::new);
    }

    @Override
    public PrivateKey getPrivateKey(String alias) {
        return latest.get().key();
    }
}
