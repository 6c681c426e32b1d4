package io.glyphgate.proxy.boot;

import io.glyphgate.proxy.config.ConfigFile;
import io.glyphgate.proxy.config.ConfigReader;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** The option that names the configuration. */
final class ConfigOption {
    @Option(names = "--config", paramLabel = "FILE", required = true, description = "The configuration, a YAML file.")
    private Path path = Path.of("");

    /** Reads it, with the overrides of the environment. */
    ConfigFile read() {
        return ConfigReader.read(path, System.getenv());
    }
}
