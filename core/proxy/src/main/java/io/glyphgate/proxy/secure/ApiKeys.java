package io.glyphgate.proxy.secure;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** The keys of clients. Only their hashes are kept. */
public final class ApiKeys {
    /** What can stand behind {@code Bearer} in a header. */
    private static final Pattern KEY = Pattern.compile("[!-~]+");

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._@-]{1,64}");

    private final List<Key> keys;

    private record Key(byte[] hash, String name) {}

    /**
     * Who a key belongs to.
     *
     * @param name the name that the file gives the key; empty if it gives none
     */
    public record Holder(String name) {}

    private ApiKeys(List<Key> keys) {
        this.keys = keys;
    }

    /**
     * Reads a file of keys: a key a line, behind it a name if it has one; lines that are empty or start with {@code #} say nothing.
     *
     * @throws IOException if the file is no such file, or has no key; the message names the line and shows no key
     */
    static ApiKeys parse(byte[] file) throws IOException {
        List<Key> keys = new ArrayList<>();
        String[] lines = new String(file, StandardCharsets.UTF_8).split("\\R", -1);
        for (int i = 0; i < lines.length; i++) {
            String line = lines[i].strip();
            if (line.isEmpty() || line.startsWith("#")) {
                continue;
            }
            String[] words = line.split("\\s+", -1);
            if (words.length > 2) {
                throw new IOException("line " + (i + 1) + " has more than a key and a name");
            }
            if (!KEY.matcher(words[0]).matches()) {
                throw new IOException("the key in line " + (i + 1) + " holds a character that is not ASCII, so no header can bring it");
            }
            String name = words.length == 2 ? words[1] : "";
            if (!name.isEmpty() && !NAME.matcher(name).matches()) {
                throw new IOException("the name in line " + (i + 1) + " may hold letters, digits, '.', '_', '-' and '@', at most 64");
            }
            Key key = new Key(hash(words[0]), name);
            if (keys.stream().anyMatch(other -> MessageDigest.isEqual(other.hash, key.hash))) {
                throw new IOException("the key in line " + (i + 1) + " stands in the file twice");
            }
            keys.add(key);
        }
        if (keys.isEmpty()) {
            throw new IOException("there is no key in it");
        }
        return new ApiKeys(keys);
    }

    /**
     * Reads a file of one key, without a name.
     *
     * @throws IOException if it has none or several
     */
    static String parseOne(byte[] file) throws IOException {
        List<String> lines = new String(file, StandardCharsets.UTF_8)
                .lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                .toList();
        if (lines.size() != 1 || !KEY.matcher(lines.getFirst()).matches()) {
            throw new IOException(lines.isEmpty() ? "there is no key in it" : "there must be one key in it, of ASCII without spaces");
        }
        return lines.getFirst();
    }

    /** Who a key belongs to; empty if nobody has it. Takes as long for each key, whatever the answer. */
    public Optional<Holder> holder(String presented) {
        byte[] hash = hash(presented);
        Key found = null;
        for (Key key : keys) {
            if (MessageDigest.isEqual(key.hash, hash)) {
                found = key; // and on: how long this takes must not say which one it was
            }
        }
        return Optional.ofNullable(found).map(key -> new Holder(key.name));
    }

    /** How many keys there are. */
    public int size() {
        return keys.size();
    }

    private static byte[] hash(String key) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("each JDK has SHA-256", e);
        }
    }
}
