package io.glyphgate.proxy.plugin;

import io.glyphgate.spi.Provider;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Optional;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A version of the SPI. Within a major version the SPI only grows. */
record SpiVersion(int major, int minor) {
    private static final Pattern FORM = Pattern.compile("([0-9]{1,6})\\.([0-9]{1,6})");
    private static final String RESOURCE = "spi.properties";

    /** The version that a text says; empty if it says none. */
    static Optional<SpiVersion> parse(String text) {
        Matcher matcher = FORM.matcher(text);
        return matcher.matches()
                ? Optional.of(new SpiVersion(Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2))))
                : Optional.empty();
    }

    /** The version of the SPI on this program's class path, as its build wrote it down. */
    static SpiVersion ofHost() {
        try (InputStream in = Provider.class.getResourceAsStream(RESOURCE)) {
            if (in == null) {
                throw new IllegalStateException("the SPI's jar holds no " + RESOURCE + ", build it with Maven");
            }
            Properties properties = new Properties();
            properties.load(in);
            String text = properties.getProperty("version", "");
            return parse(text)
                    .orElseThrow(() -> new IllegalStateException(
                            "the SPI's jar says version '" + text + "', build it with Maven"));
        } catch (IOException e) {
            throw new UncheckedIOException("the SPI's version cannot be read", e);
        }
    }

    /** Whether a plugin that was built for this version runs on another. */
    boolean runsOn(SpiVersion host) {
        return major == host.major && minor <= host.minor;
    }

    @Override
    public String toString() {
        return major + "." + minor;
    }
}
