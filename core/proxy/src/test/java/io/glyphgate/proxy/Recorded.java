package io.glyphgate.proxy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.NullMarked;

/** What was recorded of other software. */
@NullMarked
public final class Recorded {
    private static final JsonMapper JSON = new JsonMapper();

    private Recorded() {}

    /**
     * The lines of a compressed file of JSON.
     *
     * @param resource its path among the resources of the tests, such as {@code /wire/vllm-0.33-full.jsonl.gz}
     */
    public static List<JsonNode> lines(String resource) {
        try (var in = new GZIPInputStream(Objects.requireNonNull(Recorded.class.getResourceAsStream(resource), resource))) {
            List<JsonNode> lines = new ArrayList<>();
            for (String line : new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList()) {
                lines.add(JSON.readTree(line));
            }
            return lines;
        } catch (IOException e) {
            throw new UncheckedIOException(resource, e);
        }
    }
}
