package io.glyphgate.proxy.boot;

import java.nio.file.Path;

/** Where the program is installed. */
final class Installation {
    private Installation() {}

    /** The folder that holds {@code bin}, {@code lib}, {@code plugins}, {@code config} and {@code tokenizers}. */
    static Path home() {
        return Path.of(System.getProperty("glyphgate.home", ".")).toAbsolutePath().normalize();
    }
}
