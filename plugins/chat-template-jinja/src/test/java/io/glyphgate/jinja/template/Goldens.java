package io.glyphgate.jinja.template;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.LocalDateTime;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.zip.GZIPInputStream;

/** What the real Jinja gave. */
final class Goldens {
    /** One rendering. */
    record Golden(String id, String template, LocalDateTime now, Map<String, Object> variables, JsonNode expect) {
        boolean fails() {
            return expect.has("error");
        }

        String text() {
            return expect.path("text").asText();
        }
    }

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final TypeReference<Map<String, Object>> MAP = new TypeReference<>() {};

    private Goldens() {}

    static List<Golden> read(String name) {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(
                new GZIPInputStream(resource("/goldens/" + name + ".jsonl.gz")), StandardCharsets.UTF_8))) {
            return lines.lines().map(Goldens::golden).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Golden golden(String line) {
        try {
            JsonNode record = JSON.readTree(line);
            return new Golden(
                    record.path("id").asText(),
                    record.path("template").asText(),
                    LocalDateTime.parse(record.path("now").asText()),
                    JSON.convertValue(record.path("variables"), MAP),
                    record.path("expect"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static String templateFile(String name) {
        try (InputStream in = resource("/templates/" + name + ".jinja")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static InputStream resource(String name) {
        return Objects.requireNonNull(Goldens.class.getResourceAsStream(name), name);
    }
}
