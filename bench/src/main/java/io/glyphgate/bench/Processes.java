package io.glyphgate.bench;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What a process and its children have used, from Linux's {@code /proc}. */
final class Processes {
    private static final long TICK_NANOS = 10_000_000;

    /**
     * CPU time so far.
     *
     * @param threads nanoseconds by thread: exact, but without threads that have ended
     * @param ticks nanoseconds of all, ended threads too, in steps of 10 ms
     */
    record Cpu(Map<String, Long> threads, long ticks) {
        /** The nanoseconds from an earlier reading to this one. */
        long since(Cpu earlier) {
            Set<String> ended = new HashSet<>(earlier.threads.keySet());
            ended.removeAll(threads.keySet());
            if (!ended.isEmpty()) {
                return ticks - earlier.ticks;
            }
            long nanos = 0;
            for (Map.Entry<String, Long> thread : threads.entrySet()) {
                nanos += thread.getValue() - earlier.threads.getOrDefault(thread.getKey(), 0L);
            }
            return nanos;
        }
    }

    private Processes() {}

    /** The process and all below it. */
    private static List<Long> tree(long pid) {
        List<Long> all = new ArrayList<>();
        all.add(pid);
        ProcessHandle.of(pid).ifPresent(process -> process.descendants().forEach(child -> all.add(child.pid())));
        return all;
    }

    static Cpu cpu(long pid) throws IOException {
        Map<String, Long> threads = new HashMap<>();
        long ticks = 0;
        for (long process : tree(pid)) {
            Path folder = Path.of("/proc", Long.toString(process));
            try (DirectoryStream<Path> tasks = Files.newDirectoryStream(folder.resolve("task"))) {
                for (Path task : tasks) {
                    try {
                        threads.put(task.toString(), nanos(task));
                    } catch (NoSuchFileException e) {
                        // it ended meanwhile: its time is in the ticks only
                        threads.remove(task.toString());
                    }
                }
                String stat = Files.readString(folder.resolve("stat"));
                String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
                ticks += (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) * TICK_NANOS;
            } catch (NoSuchFileException e) {
                threads.keySet().removeIf(task -> task.startsWith(folder + "/")); // so did the process
            }
        }
        return new Cpu(threads, ticks);
    }

    /** The CPU time of a thread so far, in nanoseconds. */
    private static long nanos(Path task) throws IOException {
        String used = Files.readString(task.resolve("schedstat"));
        return Long.parseLong(used.substring(0, used.indexOf(' ')));
    }

    /** The CPU time that the just-in-time compilers of a JVM took so far, in nanoseconds; of those that still run. */
    static long compilerNanos(long pid) throws IOException {
        long nanos = 0;
        try (DirectoryStream<Path> tasks = Files.newDirectoryStream(Path.of("/proc", Long.toString(pid), "task"))) {
            for (Path task : tasks) {
                try {
                    String name = Files.readString(task.resolve("comm"));
                    if (name.startsWith("C1 Compiler") || name.startsWith("C2 Compiler")) {
                        nanos += nanos(task);
                    }
                } catch (NoSuchFileException e) {
                    // the thread ended meanwhile: the JVM has as many compilers as there is work for them
                }
            }
        }
        return nanos;
    }

    /** Resident memory in MB (10^6 bytes), of the process and all below it. */
    static double rssMegabytes(long pid) throws IOException {
        long kibibytes = 0;
        for (long process : tree(pid)) {
            for (String line : Files.readAllLines(Path.of("/proc", Long.toString(process), "status"))) {
                if (line.startsWith("VmRSS:")) {
                    kibibytes += Long.parseLong(line.replaceAll("\\D", ""));
                }
            }
        }
        return kibibytes * 1024 / 1e6;
    }
}
