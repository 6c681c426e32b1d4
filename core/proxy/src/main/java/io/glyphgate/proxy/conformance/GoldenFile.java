package io.glyphgate.proxy.conformance;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.zip.GZIPInputStream;

/** A file of recorded cases, one JSON object a line, compressed if its name ends in {@code .gz}. */
final class GoldenFile implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Path file;
    private final BufferedReader lines;
    private int number;

    /**
     * Opens a file.
     *
     * @throws IOException if it cannot be opened
     */
    GoldenFile(Path file) throws IOException {
        this.file = file;
        InputStream in = new BufferedInputStream(Files.newInputStream(file));
        lines = new BufferedReader(new InputStreamReader(
                file.toString().endsWith(".gz") ? new GZIPInputStream(in) : in, StandardCharsets.UTF_8));
    }

    /**
     * Reads the next line that is not blank.
     *
     * @return the line; empty at the end
     * @throws IOException if the file cannot be read or the line is no JSON; the message says file and line
     */
    Optional<JsonNode> next() throws IOException {
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            number++;
            if (!line.isBlank()) {
                return Optional.of(read(line));
            }
        }
        return Optional.empty();
    }

    private JsonNode read(String line) throws IOException {
        try {
            return JSON.readTree(line);
        } catch (JsonProcessingException e) {
            throw new IOException(file + ":" + number + ": not a line of JSON: " + e.getOriginalMessage(), e);
        }
    }

    /**
     * The case that the line read last holds.
     *
     * @throws IOException if it holds none; the message says file and line
     */
    GoldenCase golden(JsonNode line) throws IOException {
        GoldenCase golden = new GoldenCase(line);
        return switch (golden.kind()) {
            case "reasoning", "tools", "combo", "detok" -> golden;
            default ->
                throw new IOException(file + ":" + number + ": not a recorded case: its kind is '" + golden.kind()
                        + "', not reasoning, tools, combo or detok");
        };
    }

    @Override
    public void close() throws IOException {
        lines.close();
    }
}
