package io.glyphgate.proxy.secure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class IdentityTest {
    @TempDir
    private static Path folder;

    private static Certificates certificates;

    @BeforeAll
    static void certificates() throws Exception {
        certificates = new Certificates(folder)
                .issue("rsa", "RSA", "dns:a")
                .issue("ec", "EC", "dns:a")
                .issue("ed", "Ed25519", "dns:a")
                .issue("old", "EC", "dns:a", "-startdate", "-10d", "-validity", "5");
    }

    private static byte[] bytes(String name) throws IOException {
        return Files.readAllBytes(certificates.file(name));
    }

    @ParameterizedTest
    @CsvSource({"rsa", "ec", "ed"})
    void aKeyInPkcs8(String name) throws IOException {
        Identity identity = Identity.parse(bytes(name + ".pem"), bytes(name + ".key"));
        assertThat(identity.chain()).hasSize(2);
        assertThat(identity.key()).isEqualTo(certificates.key(name));
    }

    @ParameterizedTest
    @CsvSource({"rsa, RSA PRIVATE KEY", "ec, EC PRIVATE KEY"})
    void aKeyAsOpensslWroteItBefore(String name, String type) throws IOException {
        String pem = Certificates.pem(type, inner(certificates.key(name).getEncoded()));
        Identity identity = Identity.parse(bytes(name + ".pem"), pem.getBytes(StandardCharsets.US_ASCII));
        assertThat(identity.key()).isEqualTo(certificates.key(name));
    }

    /** What PKCS#8 wraps: SEQUENCE { version of 3 bytes, SEQUENCE { algorithm }, OCTET STRING }. */
    private static byte[] inner(byte[] pkcs8) {
        int algorithm = header(pkcs8, 0) + 3;
        int octets = algorithm + 2 + pkcs8[algorithm + 1];
        return Arrays.copyOfRange(pkcs8, octets + header(pkcs8, octets), pkcs8.length);
    }

    private static int header(byte[] der, int at) {
        return der[at + 1] >= 0 ? 2 : 2 + (der[at + 1] & 0x7F);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock = """
            rsa.pem | ca.key  | the private key is not that of the certificate, which must be the first one of its file
            rsa.pem | ec.key  | the key in it is no RSA key, as the certificate's is
            rsa.key | rsa.key | there is no certificate in it (-----BEGIN CERTIFICATE-----)
            rsa.pem | rsa.pem | there is no private key in it (-----BEGIN PRIVATE KEY-----)
            old.pem | old.key | which is not now
            """)
    void whatWouldFailAtTheFirstHandshakeIsRefused(String chain, String key, String said) {
        assertThatThrownBy(() -> Identity.parse(bytes(chain), bytes(key)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(said);
    }

    @Test
    void anEncryptedKeyIsRefused() {
        String pem = Certificates.pem("ENCRYPTED PRIVATE KEY", new byte[] {1, 2, 3});
        assertThatThrownBy(() -> Identity.parse(bytes("rsa.pem"), pem.getBytes(StandardCharsets.US_ASCII)))
                .hasMessageContaining("encrypted");
    }
}
