package io.glyphgate.proxy.config;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Reads the configuration: one YAML file, and environment variables that override single keys. Nothing is guessed and
 * nothing is ignored: what does not fit is a problem, and all problems are told at once.
 */
public final class ConfigReader {
    private ConfigReader() {}

    /**
     * Reads and checks a file.
     *
     * @param path the file
     * @param environment the environment variables; those that start with {@code GLYPHGATE_} override keys
     * @return the configuration, on which {@link ConfigCheck} found nothing
     * @throws ConfigException if anything is wrong with it
     */
    public static ConfigFile read(Path path, Map<String, String> environment) {
        return read(path, environment, ConfigCheck::problems);
    }

    /**
     * Reads and checks a file of which the parsers are wanted; it need not name models and pools.
     *
     * @param path the file
     * @param environment the environment variables; those that start with {@code GLYPHGATE_} override keys
     * @return what the file says
     * @throws ConfigException if anything is wrong with it
     */
    public static ConfigFile readParsers(Path path, Map<String, String> environment) {
        return read(path, environment, ConfigCheck::problemsOfParsers);
    }

    private static ConfigFile read(
            Path path, Map<String, String> environment, Function<ConfigFile, List<Problem>> check) {
        List<Problem> problems = new ArrayList<>();
        Map<KeyPath, Place> places = new HashMap<>();
        Tree written = new TreeReader(path.toString(), problems).read(text(path));
        if (written == null) {
            throw new ConfigException(problems);
        }
        Tree tree = Overrides.apply(ProxyConfig.class, written, environment, problems);
        ProxyConfig config = new Binder(problems, places).bind(ProxyConfig.class, tree);
        if (config == null) {
            throw new ConfigException(problems);
        }
        ConfigFile file = new ConfigFile(path, config, places, environment);
        problems.addAll(check.apply(file));
        if (!problems.isEmpty()) {
            throw new ConfigException(problems);
        }
        return file;
    }

    private static String text(Path path) {
        String fault;
        try {
            return Files.readString(path);
        } catch (NoSuchFileException e) {
            fault = "there is no such file; name an existing one";
        } catch (CharacterCodingException e) {
            fault = "is not UTF-8 text; save it as UTF-8";
        } catch (IOException e) {
            fault = "cannot be read: " + e;
        }
        throw new ConfigException(List.of(new Problem(new Place(path.toString(), 0), KeyPath.of(), fault)));
    }
}
