package io.glyphgate.distribution;

import static java.util.concurrent.TimeUnit.SECONDS;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * What a program said and how it ended.
 *
 * @param status its exit status
 * @param output what it wrote, standard output and standard error together
 */
record Launch(int status, String output) {
    /** Runs a program to its end, three minutes at most. */
    static Launch of(Path folder, Map<String, String> environment, List<String> command)
            throws IOException, InterruptedException {
        Path output = Files.createTempFile("launch", ".txt");
        try {
            ProcessBuilder builder = new ProcessBuilder(command)
                    .directory(folder.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile());
            builder.environment().putAll(environment);
            Process process = builder.start();
            if (!process.waitFor(180, SECONDS)) {
                process.destroyForcibly();
                throw new AssertionError(
                        String.join(" ", command) + " has not ended in three minutes; it wrote:\n" + read(output));
            }
            return new Launch(process.exitValue(), read(output));
        } finally {
            Files.delete(output);
        }
    }

    private static String read(Path file) throws IOException {
        return Files.readString(file, StandardCharsets.UTF_8);
    }
}
