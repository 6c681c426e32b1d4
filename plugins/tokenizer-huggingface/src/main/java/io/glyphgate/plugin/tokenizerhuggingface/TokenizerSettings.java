package io.glyphgate.plugin.tokenizerhuggingface;

import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What the files beside a vocabulary say: {@code tokenizer_config.json}, and the chat template, which may lie in files of its
 * own. Those win, as in the transformers library.
 */
final class TokenizerSettings {
    static final String CHAT_TEMPLATE = "chat_template";

    private TokenizerSettings() {}

    /**
     * Reads the settings.
     *
     * @throws IOException if one of the files cannot be read
     */
    static Map<String, @Nullable Object> beside(TokenizerFile file) throws IOException {
        Map<String, @Nullable Object> settings = new LinkedHashMap<>();
        Optional<TokenizerFile> config = file.beside("tokenizer_config.json");
        if (config.isPresent()) {
            settings.putAll(config.get().read(json -> {
                Map<String, @Nullable Object> members = new LinkedHashMap<>();
                while (json.nextToken() != JsonToken.END_OBJECT) {
                    String name = json.currentName();
                    json.nextToken();
                    members.put(name, TokenizerFile.value(json));
                }
                return members;
            }));
        }
        if (settings.get(CHAT_TEMPLATE) instanceof List<?> list) {
            settings.put(CHAT_TEMPLATE, named(list));
        }
        Object ownFiles = templateFiles(file);
        if (ownFiles != null) {
            settings.put(CHAT_TEMPLATE, ownFiles);
        }
        return Collections.unmodifiableMap(settings);
    }

    /** Several templates are a list of names and texts. */
    private static Map<String, String> named(List<?> list) {
        Map<String, String> templates = new LinkedHashMap<>();
        for (Object each : list) {
            if (each instanceof Map<?, ?> map
                    && map.get("name") instanceof String name
                    && map.get("template") instanceof String text) {
                templates.put(name, text);
            }
        }
        return Collections.unmodifiableMap(templates);
    }

    private static @Nullable Object templateFiles(TokenizerFile file) throws IOException {
        Map<String, String> templates = new LinkedHashMap<>();
        Optional<TokenizerFile> first = file.beside("chat_template.jinja");
        if (first.isPresent()) {
            templates.put("default", text(first.get()));
        }
        Path more = file.path().toAbsolutePath().resolveSibling("additional_chat_templates");
        if (Files.isDirectory(more)) {
            try (Stream<Path> files = Files.list(more)) {
                for (Path each : files.sorted().toList()) {
                    String name = each.getFileName().toString();
                    if (name.endsWith(".jinja")) {
                        templates.put(name.substring(0, name.length() - ".jinja".length()), text(new TokenizerFile(each)));
                    }
                }
            }
        }
        if (templates.size() == 1 && first.isPresent()) {
            return templates.get("default");
        }
        return templates.isEmpty() ? null : Collections.unmodifiableMap(templates);
    }

    private static String text(TokenizerFile file) throws IOException {
        try (var in = file.open()) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
