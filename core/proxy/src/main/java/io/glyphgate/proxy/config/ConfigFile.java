package io.glyphgate.proxy.config;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * A configuration, and where each of its keys was written.
 *
 * @param path the file
 * @param config what it says
 * @param places the place of each key that was given
 * @param environment the variables that may override keys
 */
public record ConfigFile(Path path, ProxyConfig config, Map<KeyPath, Place> places, Map<String, String> environment) {
    /** Two letters at least, so that the drive of a Windows path is no scheme. */
    private static final Pattern SCHEME = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]+:.*");

    /** Copies the maps. */
    public ConfigFile {
        places = Map.copyOf(places);
        environment = Map.copyOf(environment);
    }

    /**
     * Reads the file again, with the same variables.
     *
     * @throws ConfigException if anything is wrong with it now
     */
    public ConfigFile again() {
        return ConfigReader.read(path, environment);
    }

    /** Whether a key was given, in the file or by a variable. */
    public boolean gives(KeyPath key) {
        return places.containsKey(key);
    }

    /**
     * A problem with a key, at the line of the key, or of the block that would hold it.
     *
     * @param key the key
     * @param text what is wrong and what to do
     */
    public Problem problem(KeyPath key, String text) {
        for (KeyPath at = key; at != null; at = at.parent()) {
            Place place = places.get(at);
            if (place != null) {
                return new Problem(place, key, text);
            }
        }
        return new Problem(new Place(path.toString(), 1), key, text);
    }

    /** Where a file is that the configuration names: a relative path starts at the folder of this file. */
    public Path resolve(Path named) {
        return path.toAbsolutePath().resolveSibling(named).normalize();
    }

    /**
     * Where a {@code source} is: a URI as it stands, a path relative to the folder of this file.
     *
     * @throws URISyntaxException if it looks like a URI and is none
     */
    public URI locate(String source) throws URISyntaxException {
        return SCHEME.matcher(source).matches()
                ? new URI(source)
                : path.toAbsolutePath().resolveSibling(source).normalize().toUri();
    }
}
