package io.glyphgate.proxy.boot;

import io.glyphgate.proxy.config.ConfigFile;
import io.glyphgate.proxy.observe.CaptureFolder;
import io.glyphgate.proxy.plugin.LoadedPlugins;
import io.glyphgate.proxy.plugin.Registry;
import io.glyphgate.proxy.pool.Endpoint;
import io.glyphgate.proxy.pool.Pool;
import io.glyphgate.spi.Tokenizer;
import io.glyphgate.spi.TokenizerProvider;
import java.net.URI;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * What setups that come one after the other have in common, so that a change of the configuration costs only what has changed,
 * and what is known of a server outlives it.
 */
final class Stock implements AutoCloseable {
    private final LoadedPlugins loaded = new LoadedPlugins();
    private final Function<ConfigFile, Registry> plugins;
    private final Clock clock;
    private final Shared<TokenizerKey, Tokenizer> tokenizers = new Shared<>(Tokenizer::close);
    private volatile List<Pool> pools = List.of();
    private final Shared<Path, CaptureFolder> captures = new Shared<>(CaptureFolder::close);
    private final CaptureFolder.Tally captured = new CaptureFolder.Tally();
    private final byte[] stateKey = new byte[32];

    /**
     * What makes a tokenizer.
     *
     * @param stamp what tells its files from those that were there before
     */
    record TokenizerKey(TokenizerProvider provider, URI place, Map<String, String> options, String stamp) {}

    /** Of the plugins in the folder that a configuration names. */
    Stock() {
        plugins = file -> Registry.load(
                Setup.pluginsFolder(file), file.config().plugins().onFailure(), file.config().plugins().prefer(), loaded);
        clock = Clock.system(ZoneId.systemDefault());
        new SecureRandom().nextBytes(stateKey);
    }

    /** Of plugins that are loaded, with the clock that chat templates see. */
    Stock(Registry registry, Clock clock) {
        plugins = file -> registry;
        this.clock = clock;
        new SecureRandom().nextBytes(stateKey);
    }

    /** The plugins of a configuration. */
    Registry plugins(ConfigFile file) {
        return plugins.apply(file);
    }

    Clock clock() {
        return clock;
    }

    Shared<TokenizerKey, Tokenizer> tokenizers() {
        return tokenizers;
    }

    /** The servers of a pool, and what is known of them, as the configuration in force has it. */
    List<Endpoint> known(String pool) {
        return pools.stream()
                .filter(known -> known.name().equals(pool))
                .findFirst()
                .map(Pool::endpoints)
                .orElse(List.of());
    }

    /** These pools are in force now. */
    void inForce(List<Pool> now) {
        now.forEach(Pool::takeEffect);
        pools = now;
    }

    Shared<Path, CaptureFolder> captures() {
        return captures;
    }

    /** What became of outputs that were to be captured, in whatever folder. */
    CaptureFolder.Tally captured() {
        return captured;
    }

    /** What the states of derendered streams are signed with where the configuration names no key. */
    byte[] stateKey() {
        return stateKey;
    }

    /** Closes what stays although no setup uses it: native code. */
    @Override
    public void close() {
        loaded.close();
    }
}
