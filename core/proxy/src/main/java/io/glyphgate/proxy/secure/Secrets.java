package io.glyphgate.proxy.secure;

import io.glyphgate.proxy.config.ConfigFile;
import io.glyphgate.proxy.config.KeyPath;
import io.glyphgate.proxy.config.Problem;
import io.glyphgate.proxy.config.ProxyConfig;
import io.glyphgate.proxy.observe.Meters;
import io.glyphgate.proxy.observe.Ticker;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** All keys and certificates that a configuration names. */
public final class Secrets {
    private static final int SHORTEST_STATE_KEY = 32;

    private final ConfigFile file;
    private final List<Problem> problems;
    private final Optional<WatchedFiles<ApiKeys>> clientKeys;
    private final Optional<WatchedFiles<ApiKeys>> adminKeys;
    private @Nullable WatchedFiles<Identity> identity;
    private final Optional<SSLContext> serverTls;
    private final Optional<byte[]> stateKey;
    private final Map<String, Access> pools = new LinkedHashMap<>();

    private Secrets(ConfigFile file, List<Problem> problems) {
        this.file = file;
        this.problems = problems;
        ProxyConfig config = file.config();
        clientKeys = keys("api-keys", KeyPath.of("server", "api-key-file"), config.server().apiKeyFile());
        adminKeys = keys(
                "admin-api-keys", KeyPath.of("admin", "api-key-file"), config.admin().flatMap(ProxyConfig.Admin::apiKeyFile));
        stateKey = config.derender()
                .stateKeyFile()
                .flatMap(path -> read(KeyPath.of("derender", "state-key-file"), path, Secrets::stateKey));
        serverTls = config.server().tls().flatMap(this::serverTls);
        config.pools().forEach((name, pool) -> pools.put(name, access(KeyPath.of("pools", name), pool)));
    }

    /**
     * Reads all files.
     *
     * @param problems gets what is wrong with them
     */
    public static Secrets read(ConfigFile file, List<Problem> problems) {
        return new Secrets(file, problems);
    }

    /** The keys of clients as they are now; empty if they need none. */
    public Optional<ApiKeys> clientKeys() {
        return clientKeys.map(WatchedFiles::get);
    }

    /** The keys of operators as they are now; empty if they need none. */
    public Optional<ApiKeys> adminKeys() {
        return adminKeys.map(WatchedFiles::get);
    }

    /** What the states of derendered streams are signed with; empty if the configuration names no key. */
    public Optional<byte[]> stateKey() {
        return stateKey;
    }

    private static byte[] stateKey(Path place) throws IOException {
        String key = ApiKeys.parseOne(Files.readAllBytes(place));
        if (key.length() < SHORTEST_STATE_KEY) {
            throw new IOException("the key has " + key.length() + " characters, and must have at least " + SHORTEST_STATE_KEY);
        }
        return key.getBytes(StandardCharsets.US_ASCII);
    }

    /** What handshakes with clients are made with; empty if they speak plain HTTP. */
    public Optional<SSLContext> serverTls() {
        return serverTls;
    }

    /** How the servers of a pool are reached. */
    public Access access(String pool) {
        return pools.getOrDefault(pool, Access.PLAIN);
    }

    /**
     * Reads the keys of clients and operators again when they change.
     *
     * @return ends that
     */
    public Runnable watchKeys(Ticker ticker, Meters meters) {
        List<Runnable> ends = Stream.of(clientKeys, adminKeys)
                .flatMap(Optional::stream)
                .map(files -> files.watch(ticker, meters))
                .toList();
        return () -> ends.forEach(Runnable::run);
    }

    /** Reads the certificate that clients see again when it changes, for as long as the ticker ticks. */
    public void watchIdentity(Ticker ticker, Meters meters) {
        if (identity != null) {
            var unused = identity.watch(ticker, meters);
        }
    }

    private Optional<WatchedFiles<ApiKeys>> keys(String name, KeyPath key, Optional<Path> named) {
        return named.flatMap(path -> read(
                key, path, place -> new WatchedFiles<>(name, List.of(place), files -> ApiKeys.parse(files.getFirst()))));
    }

    private Optional<SSLContext> serverTls(ProxyConfig.ServerTls tls) {
        KeyPath key = KeyPath.of("server", "tls");
        Optional<WatchedFiles<Identity>> shown =
                identity("server-certificate", key, tls.certificateChain(), tls.privateKey());
        Optional<List<X509Certificate>> issuers = issuers(key.child("client-ca"), tls.clientCa());
        if (shown.isEmpty()) {
            return Optional.empty();
        }
        identity = shown.get();
        return context(key, Optional.of(shown.get()), issuers);
    }

    private Access access(KeyPath pool, ProxyConfig.Pool config) {
        KeyPath key = pool.child("tls");
        Optional<SSLContext> context = config.tls().flatMap(tls -> {
            Optional<Supplier<Identity>> shown = Optional.empty();
            if (tls.certificateChain().isPresent() && tls.privateKey().isPresent()) {
                shown = identity("pool-certificate", key, tls.certificateChain().get(), tls.privateKey().get())
                        .map(files -> files);
            }
            return context(key, shown, issuers(key.child("ca"), tls.ca()));
        });
        return new Access(
                context,
                config.tls().flatMap(ProxyConfig.PoolTls::serverName),
                config.tls().map(ProxyConfig.PoolTls::verifyHost).orElse(true),
                config.apiKeyFile()
                        .flatMap(path -> read(
                                pool.child("api-key-file"), path, place -> ApiKeys.parseOne(Files.readAllBytes(place))))
                        .map(one -> "Bearer " + one));
    }

    private Optional<SSLContext> context(
            KeyPath key, Optional<Supplier<Identity>> shown, Optional<List<X509Certificate>> issuers) {
        try {
            return Optional.of(Contexts.of(shown, issuers));
        } catch (IOException e) {
            problems.add(file.problem(key, WatchedFiles.message(e)));
            return Optional.empty();
        }
    }

    private Optional<WatchedFiles<Identity>> identity(String name, KeyPath key, Path chain, Path privateKey) {
        List<Path> places = List.of(file.resolve(chain), file.resolve(privateKey));
        try {
            return Optional.of(
                    new WatchedFiles<>(name, places, files -> Identity.parse(files.getFirst(), files.getLast())));
        } catch (IOException e) {
            problems.add(file.problem(key, "certificate-chain '" + chain + "' with private-key '" + privateKey
                    + "' cannot be used: " + WatchedFiles.message(e)));
            return Optional.empty();
        }
    }

    private Optional<List<X509Certificate>> issuers(KeyPath key, Optional<Path> named) {
        return named.flatMap(path -> read(key, path, place -> Pem.certificates(Files.readAllBytes(place))));
    }

    /** Reads one file of which something is made. */
    @FunctionalInterface
    private interface Reading<T> {
        T read(Path place) throws IOException;
    }

    private <T> Optional<T> read(KeyPath key, Path named, Reading<T> reading) {
        try {
            return Optional.of(reading.read(file.resolve(named)));
        } catch (IOException e) {
            problems.add(file.problem(key, "'" + named + "' cannot be used: " + WatchedFiles.message(e)));
            return Optional.empty();
        }
    }
}
