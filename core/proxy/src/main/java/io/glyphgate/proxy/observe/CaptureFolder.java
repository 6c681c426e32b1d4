package io.glyphgate.proxy.observe;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A folder of files, bounded in number and size: a new file takes the place of the oldest. A thread of its own makes and
 * writes the files. Who offers one never waits: what cannot be written is counted, and so is what is too much at once.
 *
 * <p>The name of a file is made of the time, a number, a hash of the request's ID and the number of the choice, so no client
 * decides what it is. Other files of the folder are left alone.
 */
public final class CaptureFolder implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(CaptureFolder.class.getName());
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmssSSS'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);
    private static final Pattern NAME = Pattern.compile("[0-9]{8}T[0-9]{9}Z-[0-9]{6}-[0-9a-f]{16}-[0-9]+\\.json");
    private static final int NUMBERS = 1_000_000;
    private static final int HASH_BYTES = 8;
    /** What waits to be written holds on to requests, so it must not be much. */
    private static final long MOST_PENDING_BYTES = 64L << 20;

    private static final int MOST_PENDING = 256;
    private static final long LAST_FILES_SECONDS = 5;

    /** What became of a file. */
    public enum Result {
        /** It was written. */
        WRITTEN,
        /** The file system failed. */
        FAILED,
        /** Too many waited already, or it is larger than all files together may be. */
        DROPPED
    }

    private record Held(Path file, long bytes) {}

    /** How many files there were with each result; of several folders, if they have one in common. */
    public static final class Tally {
        private final Map<Result, LongAdder> results = new EnumMap<>(Result.class);

        /** Nothing has happened yet. */
        public Tally() {
            for (Result result : Result.values()) {
                results.put(result, new LongAdder());
            }
        }

        /** How many there were with a result. */
        public long count(Result result) {
            return adder(result).sum();
        }

        private LongAdder adder(Result result) {
            return Objects.requireNonNull(results.get(result), "every result has one");
        }
    }

    private final Path folder;
    private volatile int maxFiles;
    private volatile long maxBytes;
    private final FileAttribute<?>[] attributes;
    private final Tally tally;
    private final AtomicLong pendingBytes = new AtomicLong();
    private final ThreadPoolExecutor thread = new ThreadPoolExecutor(
            0,
            1,
            10,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(MOST_PENDING),
            Thread.ofPlatform().name("glyphgate-captures").daemon().factory());

    // Used by the thread alone.
    private final Deque<Held> held = new ArrayDeque<>();
    private long heldBytes;
    private int number;
    private boolean failing;

    private CaptureFolder(Path folder, int maxFiles, long maxBytes, Tally tally) throws IOException {
        this.folder = folder;
        this.maxFiles = maxFiles;
        this.maxBytes = maxBytes;
        this.tally = tally;
        this.attributes = folder.getFileSystem().supportedFileAttributeViews().contains("posix")
                ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))}
                : new FileAttribute<?>[0];
        List<Path> files;
        try (Stream<Path> entries = Files.list(folder)) {
            files = entries.filter(file -> NAME.matcher(file.getFileName().toString()).matches()).sorted().toList();
        }
        for (Path file : files) {
            hold(file, Files.size(file));
        }
    }

    /**
     * Opens a folder, which must exist, and tries whether files can be written to it.
     *
     * @param maxFiles how many files it holds at most
     * @param maxBytes how many bytes they have together at most
     * @throws IOException if it is no folder, or cannot be written to
     */
    public static CaptureFolder open(Path folder, int maxFiles, long maxBytes) throws IOException {
        return open(folder, maxFiles, maxBytes, new Tally());
    }

    /**
     * As {@link #open(Path, int, long)}.
     *
     * @param tally counts the files
     * @throws IOException if it is no folder, or cannot be written to
     */
    public static CaptureFolder open(Path folder, int maxFiles, long maxBytes, Tally tally) throws IOException {
        CaptureFolder opened = new CaptureFolder(folder, maxFiles, maxBytes, tally);
        Files.delete(Files.createTempFile(folder, "glyphgate", ".probe"));
        return opened;
    }

    /** Sets other limits; the next file makes room. */
    public void limit(int files, long bytes) {
        maxFiles = files;
        maxBytes = bytes;
    }

    /**
     * Offers a file. Returns at once.
     *
     * @param requestId the ID of the request
     * @param choice the number of the choice
     * @param weight about how many bytes are held in memory until it is written
     * @param content makes the file's content, on another thread
     */
    public void offer(String requestId, int choice, long weight, Supplier<byte[]> content) {
        if (pendingBytes.addAndGet(weight) > MOST_PENDING_BYTES) {
            pendingBytes.addAndGet(-weight);
            tally(Result.DROPPED);
            return;
        }
        try {
            thread.execute(() -> {
                try {
                    tally(write(requestId, choice, content));
                } finally {
                    pendingBytes.addAndGet(-weight);
                }
            });
        } catch (RejectedExecutionException e) { // too many wait, or the proxy stops
            pendingBytes.addAndGet(-weight);
            tally(Result.DROPPED);
        }
    }

    /** How many files there were with a result. */
    public long count(Result result) {
        return tally.count(result);
    }

    private void tally(Result result) {
        tally.adder(result).increment();
    }

    private Result write(String requestId, int choice, Supplier<byte[]> content) {
        Path file = folder.resolve(name(requestId, choice));
        try {
            byte[] bytes = content.get();
            if (bytes.length > maxBytes) {
                return Result.DROPPED;
            }
            makeRoom(bytes.length);
            write(file, bytes);
            hold(file, bytes.length);
            failing = false;
            return Result.WRITTEN;
        } catch (IOException | RuntimeException e) {
            if (!failing) { // once, not for every output while the disk is full
                LOG.log(System.Logger.Level.WARNING, "an output could not be captured in " + folder + "; others are counted only", e);
            }
            failing = true;
            return Result.FAILED;
        }
    }

    private void write(Path file, byte[] bytes) throws IOException {
        try (SeekableByteChannel channel =
                Files.newByteChannel(file, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), attributes)) {
            ByteBuffer rest = ByteBuffer.wrap(bytes);
            while (rest.hasRemaining()) {
                channel.write(rest);
            }
        } catch (IOException e) {
            try {
                Files.deleteIfExists(file); // half a file is of no use
            } catch (IOException more) {
                e.addSuppressed(more);
            }
            throw e;
        }
    }

    private void makeRoom(long bytes) throws IOException {
        while (!held.isEmpty() && (held.size() >= maxFiles || heldBytes + bytes > maxBytes)) {
            Files.deleteIfExists(held.getFirst().file());
            heldBytes -= held.removeFirst().bytes();
        }
    }

    private void hold(Path file, long bytes) {
        held.addLast(new Held(file, bytes));
        heldBytes += bytes;
    }

    private String name(String requestId, int choice) {
        number = (number + 1) % NUMBERS;
        return String.format(Locale.ROOT, "%s-%06d-%s-%d.json", TIME.format(Instant.now()), number, hash(requestId), choice);
    }

    private static String hash(String requestId) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(requestId.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(Arrays.copyOf(digest, HASH_BYTES));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java has SHA-256", e);
        }
    }

    /** Writes what waits, for a few seconds at most. */
    @Override
    public void close() {
        thread.shutdown();
        try {
            if (!thread.awaitTermination(LAST_FILES_SECONDS, TimeUnit.SECONDS)) {
                thread.shutdownNow();
            }
        } catch (InterruptedException e) {
            thread.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }
}
