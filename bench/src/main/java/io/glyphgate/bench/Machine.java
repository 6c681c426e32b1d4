package io.glyphgate.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** What the measurements were made on, in words. */
final class Machine {
    private Machine() {}

    static String words() throws IOException {
        String processor = value(Path.of("/proc/cpuinfo"), "model name");
        long kibibytes = Long.parseLong(value(Path.of("/proc/meminfo"), "MemTotal").replaceAll("\\D", ""));
        return String.format(
                Locale.ROOT,
                "The machine: %d cores of %s, %.0f GB, %s %s, Java %s. The mock, the clients and the proxy share its cores.",
                Runtime.getRuntime().availableProcessors(),
                processor,
                kibibytes * 1024 / 1e9,
                System.getProperty("os.name"),
                System.getProperty("os.version").replaceAll("^(\\d+\\.\\d+).*", "$1"),
                Runtime.version());
    }

    /** How many processes wanted a core at a time in the last minute. */
    static double busy() throws IOException {
        String averages = Files.readString(Path.of("/proc/loadavg"));
        return Double.parseDouble(averages.substring(0, averages.indexOf(' ')));
    }

    private static String value(Path file, String key) throws IOException {
        for (String line : Files.readAllLines(file)) {
            if (line.startsWith(key)) {
                return line.substring(line.indexOf(':') + 1).strip();
            }
        }
        return "an unknown processor";
    }
}
