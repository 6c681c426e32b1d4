package io.glyphgate.proxy.conformance;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.glyphgate.proxy.plugin.Registry;
import io.glyphgate.spi.ChatTemplate;
import io.glyphgate.spi.ChatTemplateException;
import io.glyphgate.spi.ChatTemplateProvider;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.LocalDateTime;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Renders recorded chat templates and compares the text. A template that failed when it was recorded has to fail. */
final class TemplateCases {
    private static final String PROVIDER = "jinja";
    private static final String HASH = "template_sha256";
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final TypeReference<Map<String, Object>> MAP = new TypeReference<>() {};

    private final Registry registry;
    private final Optional<Path> folder;
    private final Map<String, ChatTemplate> compiled = new HashMap<>();

    /** Cases whose templates are in a folder, unless they hold them themselves. */
    TemplateCases(Registry registry, Optional<Path> folder) {
        this.registry = registry;
        this.folder = folder;
    }

    /** Whether a line of a file is such a case. */
    static boolean holds(JsonNode line) {
        return line.path("template").isTextual() && line.path("expect").isObject();
    }

    /** Renders a case. */
    void play(JsonNode line, Report report) throws IOException {
        Report.Family family =
                report.family(line.has(HASH) ? "template/" + line.path("template").asText() : "template/probes");
        family.rendered();
        family.ended(line.path("id").asText(), problems(line));
    }

    private List<String> problems(JsonNode line) throws IOException {
        JsonNode expected = line.path("expect");
        String text;
        try {
            ChatTemplate template = template(line);
            if (template == null) {
                return List.of("its template is not at hand; name the folder that holds " + line.path("template").asText()
                        + ".jinja with --templates");
            }
            text = template.render(
                    JSON.convertValue(line.path("variables"), MAP),
                    LocalDateTime.parse(line.path("now").asText()));
        } catch (ChatTemplateException e) {
            return expected.has("error") ? List.of() : List.of("it fails: " + e.getMessage());
        }
        if (expected.has("error")) {
            return List.of("Jinja fails with '" + expected.path("message").asText() + "', the proxy renders " + text);
        }
        String wanted = expected.path("text").asText();
        return text.equals(wanted) ? List.of() : List.of("Jinja renders " + wanted, "the proxy renders " + text);
    }

    private @Nullable ChatTemplate template(JsonNode line) throws IOException, ChatTemplateException {
        String name = line.path("template").asText();
        ChatTemplate known = compiled.get(name);
        if (known != null) {
            return known;
        }
        String source = name;
        if (line.has(HASH)) {
            Optional<Path> file = folder.map(path -> path.resolve(name + ".jinja")).filter(Files::exists);
            if (file.isEmpty()) {
                return null;
            }
            byte[] bytes = Files.readAllBytes(file.get());
            if (!hash(bytes).equals(line.path(HASH).asText())) {
                throw new IOException(file.get() + " is not the template that was recorded: its SHA-256 differs from "
                        + line.path(HASH).asText());
            }
            source = new String(bytes, StandardCharsets.UTF_8);
        }
        ChatTemplateProvider provider = registry.find(ChatTemplateProvider.class, PROVIDER)
                .orElseThrow(() -> new IOException("there is no chat template plugin named '" + PROVIDER + "'"));
        String template = source;
        ChatTemplate fresh = Registry.withLoaderOf(provider, () -> provider.compile(template));
        compiled.put(name, fresh);
        return fresh;
    }

    private static String hash(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
