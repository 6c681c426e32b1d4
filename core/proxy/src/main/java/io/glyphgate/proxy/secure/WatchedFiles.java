package io.glyphgate.proxy.secure;

import io.glyphgate.proxy.observe.Meters;
import io.glyphgate.proxy.observe.Ticker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/**
 * What some files say, read again when they change. Files that cannot be read, or say nothing of use, change nothing: what they
 * said before stays, and the log says why. They are compared byte by byte, because a mounted secret is replaced by other files
 * of the same name.
 */
public final class WatchedFiles<T> implements Supplier<T> {
    private static final System.Logger LOG = System.getLogger(WatchedFiles.class.getName());
    private static final Duration PERIOD = Duration.ofSeconds(1);
    /** More is no file of keys or certificates. */
    private static final long MOST = 1 << 20;

    private final String name;
    private final List<Path> files;
    private final Parser<T> parser;
    private final AtomicBoolean reading = new AtomicBoolean();
    private List<byte[]> seen;
    private boolean missing;
    private volatile T value;

    /** Makes something of the files. */
    @FunctionalInterface
    interface Parser<T> {
        T parse(List<byte[]> files) throws IOException;
    }

    /**
     * Reads files.
     *
     * @param name what they are, in the log and in the meter
     * @throws IOException if they cannot be read, or say nothing of use
     */
    WatchedFiles(String name, List<Path> files, Parser<T> parser) throws IOException {
        this.name = name;
        this.files = files;
        this.parser = parser;
        seen = read();
        value = parser.parse(seen);
    }

    /** What they said when they last said something of use. */
    @Override
    public T get() {
        return value;
    }

    /**
     * Looks at the files now and then.
     *
     * @return ends that
     */
    Runnable watch(Ticker ticker, Meters meters) {
        Ticker.Check check = now -> {
            if (reading.compareAndSet(false, true)) {
                // files may be on a network, and the ticker must not wait
                Thread.ofVirtual().name("watch-" + name).start(() -> {
                    try {
                        look(meters);
                    } finally {
                        reading.set(false);
                    }
                });
            }
        };
        ticker.addStanding(check, PERIOD);
        return () -> ticker.remove(check);
    }

    private void look(Meters meters) {
        List<byte[]> found;
        try {
            found = read();
        } catch (IOException e) {
            if (!missing) { // said once, not each time that they are looked at
                refused(e, meters);
            }
            missing = true;
            return;
        }
        missing = false;
        if (same(found, seen)) {
            return;
        }
        seen = found;
        try {
            value = parser.parse(found);
            meters.secretRead(name, true);
            LOG.log(System.Logger.Level.INFO, "{0}: read again from {1}", name, files);
        } catch (IOException e) {
            refused(e, meters);
        }
    }

    private void refused(IOException e, Meters meters) {
        meters.secretRead(name, false);
        LOG.log(System.Logger.Level.ERROR, "{0}: {1} changed, but {2}; what was read before stays in use", name, files, message(e));
    }

    private List<byte[]> read() throws IOException {
        List<byte[]> all = new ArrayList<>();
        for (Path file : files) {
            if (Files.size(file) > MOST) {
                throw new IOException("'" + file + "' is larger than " + MOST + " bytes");
            }
            all.add(Files.readAllBytes(file));
        }
        return all;
    }

    private static boolean same(List<byte[]> some, List<byte[]> others) {
        for (int i = 0; i < some.size(); i++) {
            if (!Arrays.equals(some.get(i), others.get(i))) {
                return false;
            }
        }
        return true;
    }

    /** What an exception says, for people. */
    static String message(IOException e) {
        return e instanceof NoSuchFileException ? "there is no file '" + e.getMessage() + "'" : String.valueOf(e.getMessage());
    }
}
