package io.glyphgate.plugin.tokenizerhuggingface;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the tables of vocabularies in a folder, so that the next start need not make them of their JSON again. A file has the name of a hash
 * of all that its tables were made of, this plugin's code included: what has changed is never found, and nothing has to be thrown away in
 * time. Several processes may use one folder, and a damaged file is replaced. The folder is trusted as the plugin's own is.
 */
final class TableCache {
    private static final String KEPT = ".vocabulary.bin";
    private static final String BEING_WRITTEN = ".tmp";
    private static final Pattern OWN_NAME = Pattern.compile("[0-9a-f]{64}(?:\\.vocabulary\\.bin|\\.[0-9a-f-]{36}\\.tmp)");

    /** "glyph" and the version of the form: the start of each file. Then come its length, the checksum and the key. */
    private static final long START = 0x676C797068303031L;

    private static final int KEY_BYTES = 32;
    private static final int HEAD_BYTES = 3 * Long.BYTES + KEY_BYTES;

    /** Far over any vocabulary; a file of 152,000 tokens has 7 MB. */
    private static final long LARGEST = 1L << 28;

    /** How long a file that nobody uses is kept. */
    private static final Duration UNUSED = Duration.ofDays(30);

    /** How often it is noted that a file is used, and how long the writing of one may take. */
    private static final Duration DAY = Duration.ofDays(1);

    private static final System.Logger LOGGER = System.getLogger(TableCache.class.getName());

    /** A hash of this plugin's own code: tables that another version made may be others. Empty if it cannot be read. */
    private static final Optional<byte[]> CODE = code();

    private final Path folder;
    private final byte[] code;
    private final AtomicBoolean told = new AtomicBoolean();

    private TableCache(Path folder, byte[] code) {
        this.folder = folder;
        this.code = code;
    }

    /** The one in a folder, which need not be there yet; empty if nothing can be kept. */
    static Optional<TableCache> in(Path folder) {
        return CODE.map(code -> new TableCache(folder, code));
    }

    private static Optional<byte[]> code() {
        MessageDigest digest = Sha256.digest();
        URL place = TableCache.class.getProtectionDomain().getCodeSource().getLocation();
        try (Stream<Path> files = Files.walk(Path.of(place.toURI()))) { // of a jar, or of a folder of classes
            for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
                digest.update(Files.readAllBytes(file));
            }
        } catch (IOException | UncheckedIOException | URISyntaxException e) {
            LOGGER.log(System.Logger.Level.WARNING, "no vocabulary is kept: the plugin''s own code at " + place + " cannot be read", e);
            return Optional.empty();
        }
        return Optional.of(digest.digest());
    }

    /**
     * The tables of a file: those that are kept if there are any, else read from the file, and kept.
     *
     * @param besides all that the tables depend on beside the content of the file, as JSON would have it
     * @param form reads tables that are kept
     * @param reader makes them of the file
     * @throws IOException if the file cannot be read; what is wrong with this folder is only logged
     */
    <T extends Tables> T load(TokenizerFile file, List<?> besides, TableReader.Form<T> form, TokenizerFile.Reader<T> reader)
            throws IOException {
        Optional<T> kept = find(key(file.sha256(), besides), form);
        if (kept.isPresent()) {
            return kept.get();
        }
        // the file may have changed since it was hashed: what counts is what was read
        TokenizerFile.Hashed<T> read = file.readHashed(reader);
        keep(key(read.sha256(), besides), read.value());
        return read.value();
    }

    /** What names the tables that were made of a file with this hash. */
    byte[] key(byte[] file, List<?> besides) throws IOException {
        MessageDigest digest = Sha256.digest();
        TableWriter out = new TableWriter(digest::update);
        out.bytes(code);
        out.bytes(file);
        write(besides, out);
        out.flush();
        return digest.digest();
    }

    private static void write(@Nullable Object json, TableWriter out) throws IOException {
        switch (json) {
            case null -> out.text("null");
            case String text -> {
                out.text("text");
                out.text(text);
            }
            case Map<?, ?> map -> {
                out.text("map");
                out.number(map.size());
                for (Map.Entry<?, ?> entry : map.entrySet()) {
                    write(entry.getKey(), out);
                    write(entry.getValue(), out);
                }
            }
            case List<?> list -> {
                out.text("list");
                out.number(list.size());
                for (Object each : list) {
                    write(each, out);
                }
            }
            default -> { // a number or a boolean
                out.text(json.getClass().getName());
                out.text(json.toString());
            }
        }
    }

    private Path file(byte[] key) {
        return folder.resolve(HexFormat.of().formatHex(key) + KEPT);
    }

    /** The tables that are kept under a key. */
    <T> Optional<T> find(byte[] key, TableReader.Form<T> form) {
        Path file = file(key);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            T tables = read(channel, key, form);
            noteUse(file);
            return Optional.of(tables);
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException e) {
            LOGGER.log(
                    System.Logger.Level.WARNING,
                    "{0}, which keeps a vocabulary, cannot be used ({1}): the vocabulary is read from the tokenizer''s own file,"
                            + " and this one is replaced",
                    file,
                    e instanceof TableReader.Damaged ? e.getMessage() : e);
            return Optional.empty();
        }
    }

    private static <T> T read(FileChannel channel, byte[] key, TableReader.Form<T> form) throws IOException {
        long size = channel.size();
        ByteBuffer head = ByteBuffer.allocate(HEAD_BYTES);
        while (head.hasRemaining()) {
            if (channel.read(head) < 0) {
                throw new TableReader.Damaged("it ends too early");
            }
        }
        head.flip();
        boolean right = head.getLong() == START && head.getLong() == size && size <= LARGEST;
        long checksum = head.getLong();
        if (!right || !head.equals(ByteBuffer.wrap(key))) {
            throw new TableReader.Damaged("its head is wrong, or its length is not " + size);
        }
        TableReader in = new TableReader(channel, size - HEAD_BYTES);
        T tables = form.read(in);
        in.end(checksum);
        return tables;
    }

    /** So that what is in use is not taken for forgotten. */
    private static void noteUse(Path file) {
        try {
            Instant now = Instant.now();
            if (Files.getLastModifiedTime(file).toInstant().isBefore(now.minus(DAY))) {
                Files.setLastModifiedTime(file, FileTime.from(now));
            }
        } catch (IOException e) {
            // another's file, or one that cannot be written to: whoever can write here may then throw it away, which costs one reading
            LOGGER.log(System.Logger.Level.DEBUG, "cannot note that a vocabulary is used", e);
        }
    }

    /** Keeps tables, or says why that is not possible. */
    void keep(byte[] key, Tables tables) {
        Path whole = file(key);
        Path begun = folder.resolve(HexFormat.of().formatHex(key) + '.' + UUID.randomUUID() + BEING_WRITTEN);
        try {
            Files.createDirectories(folder);
            try {
                write(begun, key, tables);
                Files.move(begun, whole, StandardCopyOption.ATOMIC_MOVE);
            } finally {
                Files.deleteIfExists(begun);
            }
            tidy();
        } catch (IOException e) {
            if (!told.getAndSet(true)) {
                LOGGER.log(
                        System.Logger.Level.INFO,
                        "vocabularies cannot be kept in {0} ({1}), so each start takes longer: have the proxy write there, or give"
                                + " the tokenizer''s option vocabulary-cache another folder, or \"none\"",
                        folder,
                        e);
            }
        }
    }

    private static void write(Path file, byte[] key, Tables tables) throws IOException {
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW)) {
            CRC32 checksum = new CRC32();
            channel.position(HEAD_BYTES);
            TableWriter out = new TableWriter(bytes -> {
                checksum.update(bytes.duplicate());
                writeAll(channel, bytes);
            });
            tables.write(out);
            out.flush();
            long size = channel.position();
            if (size > LARGEST) {
                throw new IOException("its " + size + " bytes are more than the " + LARGEST + " that one may have");
            }
            channel.position(0);
            writeAll(
                    channel,
                    ByteBuffer.allocate(HEAD_BYTES)
                            .putLong(START)
                            .putLong(size)
                            .putLong(checksum.getValue())
                            .put(key)
                            .flip());
        }
    }

    private static void writeAll(WritableByteChannel channel, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }

    /** Deletes what nobody has used for long, and what others did not write to the end. */
    private void tidy() throws IOException {
        Instant now = Instant.now();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            for (Path file : files) {
                String name = file.getFileName().toString();
                if (OWN_NAME.matcher(name).matches()) {
                    deleteUnlessNewer(file, now.minus(name.endsWith(KEPT) ? UNUSED : DAY));
                }
            }
        }
    }

    private static void deleteUnlessNewer(Path file, Instant time) throws IOException {
        try {
            if (Files.getLastModifiedTime(file).toInstant().isBefore(time)) {
                Files.deleteIfExists(file);
            }
        } catch (NoSuchFileException e) {
            // another process was faster
        }
    }
}
