package io.glyphgate.proxy.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class OldGenerationTest {
    private static final long MIB = 1 << 20;
    private static final long TICK = 100_000_000;
    private static final long PAUSE = 50_000_000;

    private final AtomicLong used = new AtomicLong();
    private final AtomicLong lived = new AtomicLong();
    private final AtomicInteger collections = new AtomicInteger();
    private final AtomicLong clock = new AtomicLong();

    /** Collects all but what lives. */
    private OldGeneration watch(long living) {
        return new OldGeneration(used::get, lived::get, () -> {
            collections.incrementAndGet();
            used.set(living);
            lived.set(living);
            clock.addAndGet(PAUSE);
        }, clock::get);
    }

    @Test
    void whatGrowsOverGarbageStaysSmall() {
        OldGeneration watch = watch(30 * MIB);
        long most = 0;
        for (int i = 0; i < 10_000; i++) {
            most = Math.max(most, used.addAndGet(MIB));
            watch.tick(clock.addAndGet(TICK));
        }
        assertThat(most).isLessThan(130 * MIB);
        assertThat(collections.get()).isBetween(50, 200); // each of them is a pause
    }

    @Test
    void whereMuchLivesItIsCollectedSeldom() {
        OldGeneration watch = watch(1_000 * MIB);
        for (int i = 0; i < 10_000; i++) {
            used.addAndGet(MIB);
            watch.tick(clock.addAndGet(TICK));
        }
        assertThat(collections.get()).isLessThan(20);
    }

    /** As where bodies of many megabytes come and go. */
    @Test
    void pausesTakeLittleOfTheTime() {
        OldGeneration watch = watch(30 * MIB);
        for (int i = 0; i < 1_000; i++) {
            used.addAndGet(200 * MIB);
            watch.tick(clock.addAndGet(TICK));
        }
        assertThat(collections.get()).isPositive();
        assertThat((double) collections.get() * PAUSE / clock.get()).isLessThan(0.021);
    }

    @Test
    void whatStaysAsItIsIsLeftAlone() {
        used.set(90 * MIB);
        OldGeneration watch = watch(90 * MIB);
        watch.tick(0);
        watch.tick(TICK);
        assertThat(collections).hasValue(0);
    }

    @Test
    void otherCollectorsThanTheSerialOneAreLeftAlone() {
        boolean serial = java.lang.management.ManagementFactory.getGarbageCollectorMXBeans().stream()
                .anyMatch(collector -> collector.getName().equals("MarkSweepCompact"));
        assertThat(OldGeneration.ofSerial().isPresent()).isEqualTo(serial);
    }
}
