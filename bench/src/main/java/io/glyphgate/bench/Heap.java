package io.glyphgate.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/**
 * What the threads of another Java process of this user have allocated, as its flight recorder counts it: exact, and without any cost
 * between two readings.
 */
final class Heap implements AutoCloseable {
    private static final String EVENT = "jdk.ThreadAllocationStatistics";
    private static final String SETTINGS = """
            <?xml version="1.0" encoding="UTF-8"?>
            <configuration version="2.0"><event name="jdk.ThreadAllocationStatistics">
            <setting name="enabled">true</setting><setting name="period">everyChunk</setting>
            </event></configuration>
            """;

    private final long pid;
    private final Path folder;
    private int readings;

    Heap(long pid) throws IOException {
        this.pid = pid;
        folder = Files.createTempDirectory("glyphgate-bench");
        Path settings = Files.writeString(folder.resolve("bench.jfc"), SETTINGS);
        command("JFR.start", "name=bench", "settings=" + settings);
    }

    /** Bytes that all threads together have allocated so far; without the recorder's own. */
    long allocated() throws IOException {
        Path file = folder.resolve("reading-" + readings++ + ".jfr");
        command("JFR.dump", "name=bench", "filename=" + file);
        Map<Long, Long> threads = new HashMap<>();
        Map<Long, Instant> last = new HashMap<>();
        for (RecordedEvent event : RecordingFile.readAllEvents(file)) {
            if (event.getEventType().getName().equals(EVENT) && event.getThread("thread") != null) {
                long thread = event.getThread("thread").getJavaThreadId();
                String name = String.valueOf(event.getThread("thread").getJavaName());
                boolean own = name.startsWith("JFR") || name.startsWith("Attach");
                if (!own && !event.getStartTime().isBefore(last.getOrDefault(thread, Instant.MIN))) {
                    last.put(thread, event.getStartTime());
                    threads.put(thread, event.getLong("allocated"));
                }
            }
        }
        Files.delete(file);
        return threads.values().stream().mapToLong(Long::longValue).sum();
    }

    private void command(String... words) throws IOException {
        String[] command = new String[words.length + 2];
        command[0] = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
        command[1] = Long.toString(pid);
        System.arraycopy(words, 0, command, 2, words.length);
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (process.waitFor() != 0) {
                throw new IOException(said.strip());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    @Override
    public void close() throws IOException {
        command("JFR.stop", "name=bench");
        Files.delete(folder.resolve("bench.jfc"));
        Files.delete(folder);
    }
}
