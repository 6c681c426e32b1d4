package io.glyphgate.proxy.secure;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLContext;

/** Certificates for tests, made by the JDK's keytool when they are wanted, as PEM files in a folder. */
public final class Certificates {
    private static final char[] PASSWORD = "changeit".toCharArray();

    private final Path folder;
    private final Path store;

    /** An issuer of its own, {@code ca.pem}. */
    public Certificates(Path folder) throws Exception {
        this.folder = folder;
        store = folder.resolve("test.p12");
        make("ca", "RSA", List.of("-ext", "bc:c", "-validity", "30"));
    }

    /** Where a file is. */
    public Path file(String name) {
        return folder.resolve(name);
    }

    /** A certificate of the issuer for a name, {@code NAME.pem}, and its key, {@code NAME.key}. */
    public Certificates issue(String name, String algorithm, String alternativeNames) throws Exception {
        return issue(name, algorithm, alternativeNames, "-validity", "30");
    }

    /** As {@link #issue(String, String, String)}, with other arguments of keytool. */
    public Certificates issue(String name, String algorithm, String alternativeNames, String... more) throws Exception {
        List<String> arguments = new ArrayList<>(List.of("-signer", "ca", "-ext", "san=" + alternativeNames));
        arguments.addAll(List.of(more));
        make(name, algorithm, arguments);
        return this;
    }

    private void make(String name, String algorithm, List<String> more) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair", "-alias", name, "-keyalg", algorithm, "-dname", "CN=" + name, "-keystore", store.toString(),
                "-storetype", "PKCS12", "-storepass", new String(PASSWORD), "-keypass", new String(PASSWORD)));
        if (algorithm.equals("EC")) {
            command.addAll(List.of("-groupname", "secp256r1"));
        }
        command.addAll(more);
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException("keytool failed: " + said);
        }
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, PASSWORD);
        }
        StringBuilder chain = new StringBuilder();
        for (Certificate certificate : keys.getCertificateChain(name)) {
            chain.append(pem("CERTIFICATE", certificate.getEncoded()));
        }
        Files.writeString(file(name + ".pem"), chain);
        Files.writeString(file(name + ".key"), pem("PRIVATE KEY", keys.getKey(name, PASSWORD).getEncoded()));
    }

    /** Bytes in PEM. */
    static String pem(String type, byte[] der) {
        return "-----BEGIN " + type + "-----\n" + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der)
                + "\n-----END " + type + "-----\n";
    }

    /** What a client or server of a test makes handshakes with: trusts the issuer, and shows a certificate of that name. */
    public SSLContext context(Optional<String> shown) throws IOException {
        Optional<Identity> identity = Optional.empty();
        if (shown.isPresent()) {
            identity = Optional.of(Identity.parse(
                    Files.readAllBytes(file(shown.get() + ".pem")), Files.readAllBytes(file(shown.get() + ".key"))));
        }
        return Contexts.of(
                identity.map(one -> () -> one), Optional.of(Pem.certificates(Files.readAllBytes(file("ca.pem")))));
    }

    /** The key of a name. */
    PrivateKey key(String name) throws IOException {
        return Pem.privateKey(Files.readAllBytes(file(name + ".key")), certificate(name).getPublicKey());
    }

    /** The certificate of a name. */
    X509Certificate certificate(String name) throws IOException {
        return Pem.certificates(Files.readAllBytes(file(name + ".pem"))).getFirst();
    }
}
