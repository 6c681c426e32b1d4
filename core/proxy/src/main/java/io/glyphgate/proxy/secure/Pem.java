package io.glyphgate.proxy.secure;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Certificates and keys in PEM. */
final class Pem {
    private static final Pattern KEY = Pattern.compile("-----BEGIN ((?:[A-Z]+ )?)PRIVATE KEY-----([^-]*)-----END");
    private static final Pattern CERTIFICATE = Pattern.compile("-----BEGIN CERTIFICATE-----([^-]*)-----END");

    private static final int SEQUENCE = 0x30;
    private static final int OCTETS = 0x04;
    private static final byte[] VERSION_0 = {2, 1, 0};

    private Pem() {}

    /**
     * All certificates of a file, in its order.
     *
     * @throws IOException if there is none, or one cannot be read
     */
    static List<X509Certificate> certificates(byte[] file) throws IOException {
        List<X509Certificate> certificates = new ArrayList<>();
        Matcher found = CERTIFICATE.matcher(new String(file, StandardCharsets.ISO_8859_1));
        while (found.find()) {
            try {
                certificates.add((X509Certificate) CertificateFactory.getInstance("X.509")
                        .generateCertificate(new ByteArrayInputStream(decode(found.group(1)))));
            } catch (CertificateException e) {
                throw new IOException("its certificate " + (certificates.size() + 1) + " cannot be read", e);
            }
        }
        if (certificates.isEmpty()) {
            throw new IOException("there is no certificate in it (-----BEGIN CERTIFICATE-----)");
        }
        return certificates;
    }

    /**
     * The private key of a file, in PKCS#8, or as OpenSSL wrote keys before: PKCS#1 for RSA, SEC 1 for elliptic curves.
     *
     * @param owner the public key that belongs to it, for its algorithm
     * @throws IOException if there is none, or it is encrypted, or of another algorithm
     */
    static PrivateKey privateKey(byte[] file, PublicKey owner) throws IOException {
        Matcher found = KEY.matcher(new String(file, StandardCharsets.ISO_8859_1));
        if (!found.find()) {
            throw new IOException("there is no private key in it (-----BEGIN PRIVATE KEY-----)");
        }
        String form = found.group(1).strip();
        if (form.equals("ENCRYPTED") || found.group(2).contains("ENCRYPTED")) {
            throw new IOException("the key in it is encrypted; decrypt it with `openssl pkey`, and protect the file instead");
        }
        byte[] key = decode(found.group(2));
        byte[] pkcs8 = form.isEmpty() ? key : der(SEQUENCE, VERSION_0, algorithm(owner), der(OCTETS, key));
        try {
            return KeyFactory.getInstance(owner.getAlgorithm()).generatePrivate(new PKCS8EncodedKeySpec(pkcs8));
        } catch (GeneralSecurityException e) {
            throw new IOException("the key in it is no " + owner.getAlgorithm() + " key, as the certificate's is", e);
        }
    }

    private static byte[] decode(String base64) throws IOException {
        try {
            return Base64.getMimeDecoder().decode(base64);
        } catch (IllegalArgumentException e) {
            throw new IOException("it is no PEM: " + e.getMessage(), e);
        }
    }

    /** The algorithm of a key with its parameters: the first element of its encoding, which is SEQUENCE { algorithm, bits }. */
    private static byte[] algorithm(PublicKey key) {
        byte[] encoded = key.getEncoded();
        int start = 1 + lengthBytes(encoded, 1);
        int end = start + 1 + lengthBytes(encoded, start + 1) + length(encoded, start + 1);
        return Arrays.copyOfRange(encoded, start, end);
    }

    private static int lengthBytes(byte[] der, int at) {
        return (der[at] & 0x80) == 0 ? 1 : 1 + (der[at] & 0x7F);
    }

    private static int length(byte[] der, int at) {
        int bytes = lengthBytes(der, at);
        if (bytes == 1) {
            return der[at];
        }
        int length = 0;
        for (int i = 1; i < bytes; i++) {
            length = (length << 8) | (der[at + i] & 0xFF);
        }
        return length;
    }

    private static byte[] der(int tag, byte[]... parts) {
        int length = 0;
        for (byte[] part : parts) {
            length += part.length;
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream(length + 6);
        out.write(tag);
        if (length < 0x80) {
            out.write(length);
        } else {
            int bytes = (Integer.SIZE - Integer.numberOfLeadingZeros(length) + 7) / 8;
            out.write(0x80 | bytes);
            for (int shift = (bytes - 1) * 8; shift >= 0; shift -= 8) {
                out.write(length >> shift);
            }
        }
        for (byte[] part : parts) {
            out.writeBytes(part);
        }
        return out.toByteArray();
    }
}
