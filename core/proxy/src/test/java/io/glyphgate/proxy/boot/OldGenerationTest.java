package io.glyphgate.proxy.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class OldGenerationTest {
    private static final long MIB = 1 << 20;

    private final AtomicLong used = new AtomicLong();
    private final AtomicLong lived = new AtomicLong();
    private final AtomicInteger collections = new AtomicInteger();

    /** Collects all but what lives. */
    private OldGeneration watch(long living) {
        return new OldGeneration(used::get, lived::get, () -> {
            collections.incrementAndGet();
            used.set(living);
            lived.set(living);
        });
    }

    @Test
    void whatGrowsOverGarbageStaysSmall() {
        OldGeneration watch = watch(30 * MIB);
        long most = 0;
        for (int i = 0; i < 10_000; i++) {
            most = Math.max(most, used.addAndGet(MIB));
            watch.tick(i);
        }
        assertThat(most).isLessThan(130 * MIB);
        assertThat(collections.get()).isBetween(50, 200); // each of them is a pause
    }

    @Test
    void whereMuchLivesItIsCollectedSeldom() {
        OldGeneration watch = watch(1_000 * MIB);
        for (int i = 0; i < 10_000; i++) {
            used.addAndGet(MIB);
            watch.tick(i);
        }
        assertThat(collections.get()).isLessThan(20);
    }

    @Test
    void whatStaysAsItIsIsLeftAlone() {
        used.set(90 * MIB);
        OldGeneration watch = watch(90 * MIB);
        watch.tick(0);
        watch.tick(1);
        assertThat(collections).hasValue(0);
    }

    @Test
    void otherCollectorsThanTheSerialOneAreLeftAlone() {
        boolean serial = java.lang.management.ManagementFactory.getGarbageCollectorMXBeans().stream()
                .anyMatch(collector -> collector.getName().equals("MarkSweepCompact"));
        assertThat(OldGeneration.ofSerial().isPresent()).isEqualTo(serial);
    }
}
