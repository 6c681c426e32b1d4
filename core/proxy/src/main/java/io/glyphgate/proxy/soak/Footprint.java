package io.glyphgate.proxy.soak;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.HotSpotDiagnosticMXBean.ThreadDumpFormat;
import com.sun.management.UnixOperatingSystemMXBean;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * What this process holds of the machine.
 *
 * @param heap bytes of the heap that are in use; what nobody refers to is not counted
 * @param files files and sockets that are open; -1 where the system does not tell
 * @param platformThreads threads of the system
 * @param virtualThreads threads of the JVM
 */
public record Footprint(long heap, long files, int platformThreads, int virtualThreads) {
    /** Measures it, which takes a full garbage collection. */
    public static Footprint measure() {
        MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
        memory.gc();
        long heap = memory.getHeapMemoryUsage().getUsed();
        long files = ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system
                ? system.getOpenFileDescriptorCount()
                : -1;
        return new Footprint(heap, files, ManagementFactory.getThreadMXBean().getThreadCount(), countVirtualThreads());
    }

    /** How many virtual threads there are. Only a dump of all threads tells. */
    public static int countVirtualThreads() {
        try {
            Path folder = Files.createTempDirectory("glyphgate-threads");
            Path dump = folder.resolve("threads.txt");
            try {
                ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
                        .dumpThreads(dump.toString(), ThreadDumpFormat.TEXT_PLAIN);
                try (Stream<String> lines = Files.lines(dump)) {
                    return (int) lines.filter(line -> line.startsWith("#") && line.contains(" virtual")).count();
                }
            } finally {
                Files.deleteIfExists(dump);
                Files.delete(folder);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the threads cannot be counted", e);
        }
    }
}
