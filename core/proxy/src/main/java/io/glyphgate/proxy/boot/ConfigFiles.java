package io.glyphgate.proxy.boot;

import io.glyphgate.proxy.config.ConfigFile;
import io.glyphgate.proxy.config.FileStamp;
import io.glyphgate.proxy.config.ProxyConfig;
import io.glyphgate.proxy.plugin.Registry;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.FileSystemNotFoundException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The files that a configuration leads to, as they were at one moment. They are looked at again and again, and no event of the
 * file system is waited for: those do not tell of links that lead elsewhere, as in a ConfigMap of Kubernetes.
 *
 * @param stamps what tells each file, or the files of each folder, from what was there before
 */
record ConfigFiles(Map<Path, String> stamps) {
    /** What lies beside a tokenizer, too large to be a part of it, and may be on its way for hours. */
    private static final Set<String> WEIGHTS =
            Set.of("safetensors", "bin", "pt", "pth", "gguf", "onnx", "h5", "msgpack", "incomplete", "lock", "tmp");

    /** The files of a configuration as they are now. */
    static ConfigFiles of(ConfigFile file) {
        return of(file, FileStamp.ofContent(file.path()));
    }

    /**
     * The files of a configuration as they are now, but for the configuration itself.
     *
     * @param content what the configuration was
     */
    static ConfigFiles of(ConfigFile file, String content) {
        Map<Path, String> stamps = new TreeMap<>(Registry.stamps(Setup.pluginsFolder(file)));
        for (ProxyConfig.Model model : file.config().models().values()) {
            model.tokenizer()
                    .flatMap(tokenizer -> path(file, tokenizer.source()))
                    .ifPresent(path -> stamps.computeIfAbsent(path, ConfigFiles::tokenizerStamp));
            model.chatTemplate()
                    .source()
                    .flatMap(source -> path(file, source))
                    .ifPresent(path -> stamps.computeIfAbsent(path, FileStamp::ofContent));
        }
        stamps.put(file.path(), content);
        return new ConfigFiles(stamps);
    }

    /** What is not as it was, or was not there, or is no more. */
    List<String> changesFrom(ConfigFiles before) {
        return Stream.concat(stamps.keySet().stream(), before.stamps.keySet().stream())
                .distinct()
                .filter(path -> !Objects.equals(stamps.get(path), before.stamps.get(path)))
                .map(Path::toString)
                .toList();
    }

    /** What tells the files of a tokenizer from those that were there before; nothing where it is not in a file system. */
    static String tokenizerStamp(URI place) {
        return path(place).map(ConfigFiles::tokenizerStamp).orElse("");
    }

    /** A tokenizer is more than one file: its settings and its chat templates lie beside it. */
    private static String tokenizerStamp(Path path) {
        boolean whole = Files.isDirectory(path);
        Path folder = whole ? path : path.toAbsolutePath().resolveSibling("");
        return (whole ? "" : FileStamp.of(path) + "\n") + FileStamp.ofFolder(folder, ConfigFiles::isNoWeight) + "\n"
                + FileStamp.ofFolder(folder.resolve("additional_chat_templates"), file -> true);
    }

    private static boolean isNoWeight(Path file) {
        String name = file.getFileName().toString().toLowerCase(Locale.ROOT);
        return !WEIGHTS.contains(name.substring(name.lastIndexOf('.') + 1));
    }

    private static Optional<Path> path(ConfigFile file, String source) {
        try {
            return path(file.locate(source));
        } catch (URISyntaxException e) {
            throw new IllegalStateException("the configuration was checked", e);
        }
    }

    private static Optional<Path> path(URI place) {
        try {
            return "file".equals(place.getScheme()) ? Optional.of(Path.of(place)) : Optional.empty();
        } catch (IllegalArgumentException | FileSystemNotFoundException e) {
            return Optional.empty(); // what loads it says what is wrong with it
        }
    }
}
