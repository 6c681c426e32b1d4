package io.glyphgate.proxy.plugin;

import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A plugin that is loaded.
 *
 * @param folder the name of its folder
 * @param version the {@code Plugin-Version} of its manifest; {@code unknown} if it has none
 * @param spiVersion the {@code Spi-Version} of its manifest, the SPI it was built for; {@code unknown} if it has none
 * @param extensions what it brings
 */
public record Plugin(String folder, String version, String spiVersion, List<Extension> extensions) {
    /** Stands for a version that no manifest names. */
    public static final String UNKNOWN = "unknown";

    /**
     * A thing that a plugin brings.
     *
     * @param kind what it is
     * @param name its name in the configuration
     * @param aliases other names, sorted
     */
    public record Extension(PluginKind kind, String name, Set<String> aliases) {
        /** The name and the aliases. */
        public Stream<String> names() {
            return Stream.concat(Stream.of(name), aliases.stream());
        }
    }

    /**
     * A plugin that was left out.
     *
     * @param folder the name of its folder
     * @param reason what is wrong with it
     */
    public record Skipped(String folder, String reason) {}
}
