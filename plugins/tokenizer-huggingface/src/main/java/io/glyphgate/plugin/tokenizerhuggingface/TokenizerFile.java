package io.glyphgate.plugin.tokenizerhuggingface;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.FileSystemNotFoundException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/** A JSON file of a tokenizer, perhaps compressed with gzip. */
record TokenizerFile(Path path) {
    private static final int BUFFER = 1 << 16;

    /** Names are thousands of tokens that come once: no use in keeping them. */
    private static final JsonFactory JSON = JsonFactory.builder()
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
            .build();

    /** Reads a part of a JSON document. */
    @FunctionalInterface
    interface Reader<T> {
        /** The parser stands before the first token of the document. */
        T read(JsonParser json) throws IOException;
    }

    /**
     * What a file says.
     *
     * @param value what a reader made of it
     * @param sha256 the hash of the file, as {@link TokenizerFile#sha256} would give it
     */
    record Hashed<T>(T value, byte[] sha256) {}

    /**
     * Finds the file that a configured source means. In a folder with both kinds of tokenizer {@code tekken.json} wins,
     * as it does in vLLM.
     *
     * @throws IOException if there is none
     */
    static TokenizerFile find(URI source) throws IOException {
        Path path;
        try {
            path = Path.of(source);
        } catch (IllegalArgumentException | FileSystemNotFoundException e) {
            throw new IOException(
                    "the tokenizer source " + source + " is not a file: URI: give the path of a tokenizer.json, a"
                            + " tekken.json or their folder",
                    e);
        }
        if (Files.isDirectory(path)) {
            for (String name : List.of("tekken.json", "tokenizer.json")) {
                Optional<TokenizerFile> file = in(path, name);
                if (file.isPresent()) {
                    return file.get();
                }
            }
            throw new IOException(
                    "the folder " + path + " holds neither tokenizer.json nor tekken.json, with or without .gz");
        }
        if (!Files.isRegularFile(path)) {
            throw new IOException("there is no tokenizer file or folder " + path);
        }
        return new TokenizerFile(path);
    }

    private static Optional<TokenizerFile> in(Path folder, String name) {
        for (String each : List.of(name, name + ".gz")) {
            Path path = folder.resolve(each);
            if (Files.isRegularFile(path)) {
                return Optional.of(new TokenizerFile(path));
            }
        }
        return Optional.empty();
    }

    /** A file beside this one, if it is there, as it is or with {@code .gz}. */
    Optional<TokenizerFile> beside(String name) {
        return in(path.toAbsolutePath().resolveSibling("").normalize(), name);
    }

    /** Whether the name says that it is a vocabulary of mistral-common. */
    boolean isTekken() {
        return path.getFileName().toString().startsWith("tekken");
    }

    /** Opens the content, without compression. */
    InputStream open() throws IOException {
        return unpacked(Files.newInputStream(path));
    }

    private static InputStream unpacked(InputStream file) throws IOException {
        var in = new BufferedInputStream(file, BUFFER);
        try {
            in.mark(2);
            boolean gzip = in.read() == 0x1F && in.read() == 0x8B;
            in.reset();
            return gzip ? new GZIPInputStream(in, BUFFER) : in;
        } catch (IOException e) {
            in.close();
            throw e;
        }
    }

    /**
     * Reads the file.
     *
     * @throws IOException if it cannot be read; the message names the file and, for bad JSON, the line
     */
    <T> T read(Reader<T> reader) throws IOException {
        return read(reader, Optional.empty());
    }

    /**
     * Reads the file, and hashes the very bytes that were read.
     *
     * @throws IOException as {@link #read} does
     */
    <T> Hashed<T> readHashed(Reader<T> reader) throws IOException {
        MessageDigest digest = Sha256.digest();
        T value = read(reader, Optional.of(digest));
        return new Hashed<>(value, digest.digest());
    }

    private <T> T read(Reader<T> reader, Optional<MessageDigest> digest) throws IOException {
        try (InputStream file = Files.newInputStream(path);
                InputStream bytes = digest.isPresent() ? new DigestInputStream(file, digest.get()) : file;
                InputStream in = unpacked(bytes);
                JsonParser json = JSON.createParser(in)) {
            if (json.nextToken() != JsonToken.START_OBJECT) {
                throw new IOException("it is not a JSON object");
            }
            T value = reader.read(json);
            if (digest.isPresent()) {
                bytes.transferTo(OutputStream.nullOutputStream()); // what is behind the document is of the file, too
            }
            return value;
        } catch (JacksonException e) {
            throw new IOException(
                    "cannot read the tokenizer file " + path + ": line "
                            + e.getLocation().getLineNr() + ": " + e.getOriginalMessage(),
                    e);
        } catch (IOException e) {
            throw new IOException("cannot read the tokenizer file " + path + ": " + e.getMessage(), e);
        }
    }

    /**
     * The hash of the file as it is, packed or not.
     *
     * @throws IOException if it cannot be read; the message names the file
     */
    byte[] sha256() throws IOException {
        MessageDigest digest = Sha256.digest();
        try (InputStream in = Files.newInputStream(path)) {
            byte[] buffer = new byte[BUFFER];
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                digest.update(buffer, 0, read);
            }
        } catch (IOException e) {
            throw new IOException("cannot read the tokenizer file " + path + ": " + e.getMessage(), e);
        }
        return digest.digest();
    }

    /**
     * The value at the parser's token: a map, a list, a string, a number, a boolean, or null. For small values.
     */
    static @Nullable Object value(JsonParser json) throws IOException {
        return switch (json.currentToken()) {
            case START_OBJECT -> {
                Map<String, @Nullable Object> map = new LinkedHashMap<>();
                while (json.nextToken() != JsonToken.END_OBJECT) {
                    String name = json.currentName();
                    json.nextToken();
                    map.put(name, value(json));
                }
                yield map;
            }
            case START_ARRAY -> {
                List<@Nullable Object> list = new ArrayList<>();
                while (json.nextToken() != JsonToken.END_ARRAY) {
                    list.add(value(json));
                }
                yield list;
            }
            case VALUE_STRING -> json.getText();
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> json.getNumberValue();
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            case VALUE_NULL -> null;
            case NOT_AVAILABLE, END_OBJECT, END_ARRAY, FIELD_NAME, VALUE_EMBEDDED_OBJECT ->
                throw new IOException("a value is missing at line "
                        + json.currentLocation().getLineNr());
        };
    }
}
