package io.glyphgate.plugin.tokenizerhuggingface;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** The hash that tells contents apart. */
final class Sha256 {
    private Sha256() {}

    /** A new one. */
    static MessageDigest digest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java has it", e);
        }
    }
}
