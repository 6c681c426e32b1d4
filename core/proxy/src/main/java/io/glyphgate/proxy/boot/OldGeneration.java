package io.glyphgate.proxy.boot;

import io.glyphgate.proxy.observe.Ticker;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryUsage;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Has garbage collected before it makes the process large. The serial collector looks for what is dead among old objects only where
 * the heap cannot grow any more, and what lived as long as a stream dies there: a proxy that needs 30 MB would take all that it
 * may have, sooner or later. G1, the JVM's own choice, sees to that itself.
 */
final class OldGeneration implements Ticker.Check {
    private static final System.Logger LOG = System.getLogger(OldGeneration.class.getName());
    private static final String SERIAL = "Tenured Gen";
    /** How often to look: what streams leave behind takes minutes to be much. */
    static final Duration LOOK = Duration.ofSeconds(1);
    /** So much garbage is worth no pause. In bytes. */
    private static final long LITTLE = 96L << 20;
    /** How much longer than a pause the time to the next one is: bodies of many megabytes are garbage as fast as they come. */
    private static final int REST = 50;

    private final LongSupplier used;
    private final LongSupplier lived;
    private final Runnable collection;
    private final LongSupplier clock;
    /** Before this no other collection is worth its pause. */
    private long rested;

    /**
     * A watch.
     *
     * @param used how many bytes are in use, garbage included
     * @param lived how many of them were in use behind the last collection; 0 before the first
     * @param collection collects
     * @param clock nanoseconds
     */
    OldGeneration(LongSupplier used, LongSupplier lived, Runnable collection, LongSupplier clock) {
        this.used = used;
        this.lived = lived;
        this.collection = collection;
        this.clock = clock;
        rested = clock.getAsLong();
    }

    /** That of this process; empty if its collector needs none. */
    static Optional<OldGeneration> ofSerial() {
        return ManagementFactory.getMemoryPoolMXBeans().stream()
                .filter(pool -> pool.getName().equals(SERIAL))
                .findFirst()
                .map(pool -> new OldGeneration(() -> pool.getUsage().getUsed(), () -> lived(pool), System::gc, System::nanoTime));
    }

    private static long lived(MemoryPoolMXBean pool) {
        @Nullable MemoryUsage usage = pool.getCollectionUsage();
        return usage == null ? 0 : usage.getUsed();
    }

    @Override
    public void tick(long now) {
        long before = used.getAsLong();
        if (now - rested >= 0 && before - lived.getAsLong() > Math.max(LITTLE, lived.getAsLong())) {
            long begun = clock.getAsLong();
            collection.run();
            long end = clock.getAsLong();
            rested = end + REST * (end - begun);
            LOG.log(System.Logger.Level.DEBUG, "old objects took {0} bytes, and take {1} now", before, used.getAsLong());
        }
    }
}
