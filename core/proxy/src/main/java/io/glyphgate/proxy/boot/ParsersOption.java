package io.glyphgate.proxy.boot;

import io.glyphgate.proxy.config.ConfigException;
import io.glyphgate.proxy.config.ConfigFile;
import io.glyphgate.proxy.config.ConfigReader;
import io.glyphgate.proxy.config.Problem;
import io.glyphgate.proxy.config.ProxyConfig.OnFailure;
import io.glyphgate.proxy.format.DescribedParsers;
import io.glyphgate.proxy.plugin.PluginCheck;
import io.glyphgate.proxy.plugin.Registry;
import io.glyphgate.spi.ParserProvider;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The option that names a configuration whose parsers are wanted. */
final class ParsersOption {
    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "A configuration whose plugins and parsers to use; it need not have models and pools.")
    private Optional<Path> path = Optional.empty();

    /** Reads it, if one is named, with the overrides of the environment. */
    Optional<ConfigFile> read() {
        return path.map(file -> ConfigReader.readParsers(file, System.getenv()));
    }

    /**
     * Loads the plugins, and the parsers that the configuration describes.
     *
     * @throws ConfigException if the configuration is not good
     */
    Registry load() {
        return read().map(ParsersOption::load)
                .orElseGet(() -> Registry.load(Installation.home().resolve("plugins"), OnFailure.FAIL, Map.of()));
    }

    /**
     * Loads what a configuration names and describes.
     *
     * @throws ConfigException if the configuration is not good
     */
    static Registry load(ConfigFile file) {
        List<ParserProvider> described = DescribedParsers.of(file);
        Registry registry = Setup.plugins(file).with(described);
        List<Problem> clashes = PluginCheck.clashes(file, registry);
        if (!clashes.isEmpty()) {
            registry.close();
            throw new ConfigException(clashes);
        }
        return registry;
    }
}
