package io.glyphgate.proxy.conformance;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

/** The recorded cases of the parsers that come with the project, as good outputs to start from. */
final class Recorded {
    private static final ObjectMapper JSON = new ObjectMapper();

    private Recorded() {}

    /**
     * Cases.
     *
     * @param most how many of each file
     */
    static List<GoldenCase> cases(int most) throws IOException, URISyntaxException {
        List<GoldenCase> cases = new ArrayList<>();
        for (String kind : List.of("reasoning", "tools", "combo")) {
            Path folder = Path.of(Recorded.class.getResource("/goldens/" + kind).toURI());
            try (Stream<Path> files = Files.list(folder)) {
                files.sorted().forEach(file -> cases.addAll(read(file, most)));
            }
        }
        return cases;
    }

    private static List<GoldenCase> read(Path file, int most) {
        try (BufferedReader lines = new BufferedReader(
                new InputStreamReader(new GZIPInputStream(Files.newInputStream(file)), StandardCharsets.UTF_8))) {
            return lines.lines().limit(most).map(Recorded::golden).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static GoldenCase golden(String line) {
        try {
            return new GoldenCase(JSON.readTree(line));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
