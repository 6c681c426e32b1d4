package io.glyphgate.proxy.secure;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.List;

/**
 * A certificate and its key, which were tried on each other.
 *
 * @param chain the certificate, and behind it those that lead to its issuer
 */
record Identity(List<X509Certificate> chain, PrivateKey key) {
    private static final byte[] TRIAL = {'g', 'l', 'y', 'p', 'h'};

    /**
     * Reads both.
     *
     * @throws IOException if one cannot be read, they do not belong together, or the certificate is not valid now: a server would
     *     start with them, and then each handshake would fail
     */
    static Identity parse(byte[] chainFile, byte[] keyFile) throws IOException {
        List<X509Certificate> chain = Pem.certificates(chainFile);
        X509Certificate own = chain.getFirst();
        try {
            own.checkValidity();
        } catch (CertificateException e) {
            throw new IOException("the certificate is valid from " + own.getNotBefore().toInstant() + " to "
                    + own.getNotAfter().toInstant() + ", which is not now", e);
        }
        PrivateKey key = Pem.privateKey(keyFile, own.getPublicKey());
        if (!belongTogether(own, key)) {
            throw new IOException("the private key is not that of the certificate, which must be the first one of its file");
        }
        return new Identity(chain, key);
    }

    private static boolean belongTogether(X509Certificate certificate, PrivateKey key) throws IOException {
        String algorithm = switch (key.getAlgorithm()) {
            case "RSA" -> "SHA256withRSA";
            case "EC" -> "SHA256withECDSA";
            default -> key.getAlgorithm();
        };
        try {
            Signature signature = Signature.getInstance(algorithm);
            signature.initSign(key);
            signature.update(TRIAL);
            byte[] signed = signature.sign();
            signature.initVerify(certificate.getPublicKey());
            signature.update(TRIAL);
            return signature.verify(signed);
        } catch (GeneralSecurityException e) {
            throw new IOException("a key of the algorithm " + key.getAlgorithm() + " cannot be used", e);
        }
    }
}
