package io.glyphgate.proxy.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.glyphgate.proxy.boot.DoorGolden.Reply;
import io.glyphgate.proxy.config.ConfigReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Plays requests that vLLM and happy_vLLM answered, over real HTTP. The system property {@code glyphgate.door-goldens} names a
 * folder with others, {@code glyphgate.raw-tokenizers} one with the tokenizers that they need.
 */
class DoorGoldenTest {
    private static final Map<Clock, Stock> STOCKS = new HashMap<>();
    /** Setups that stay open, so that their tokenizers do. */
    private static final List<Setup> KEEPERS = new ArrayList<>();

    @TempDir
    private static Path folder;

    @AfterAll
    static void closeTokenizers() {
        KEEPERS.forEach(Setup::close);
    }

    static Stream<DoorGoldens> goldens() {
        String more = System.getProperty("glyphgate.door-goldens");
        return DoorGoldens.in(more == null ? DoorGoldens.RESOURCES : Path.of(more)).stream();
    }

    @ParameterizedTest
    @MethodSource("goldens")
    void answersAsTheOriginalOrAsPromised(DoorGoldens goldens) throws Exception {
        Optional<String> yaml = goldens.configuration(folder);
        assumeThat(yaml).as("the tokenizer is at hand").isPresent();
        Path file = Files.writeString(folder.resolve("glyphgate.yaml"), yaml.orElseThrow());
        List<String> wrong = new ArrayList<>();
        Stock stock = STOCKS.computeIfAbsent(goldens.clock(), clock -> new Stock(Stage.REGISTRY, clock));
        Setup setup = Setup.of(ConfigReader.read(file, Map.of()), stock);
        KEEPERS.add(setup.next(setup.file()));
        try (Proxy proxy = new Proxy(setup);
                HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
            URI uri = URI.create("http://127.0.0.1:" + proxy.port());
            for (DoorGolden golden : goldens.records()) {
                HttpResponse<String> http = client.send(golden.toHttp(uri), HttpResponse.BodyHandlers.ofString());
                Reply reply = new Reply(http.statusCode(), http.headers().firstValue("Content-Type").orElse(""), http.body());
                Optional<DoorDifference> rule = DoorDifference.about(golden);
                boolean good = rule.isPresent()
                        ? rule.get().promised().test(golden, reply)
                        : golden.isAnsweredBy(reply);
                if (!good) {
                    wrong.add(rule.map(DoorDifference::id).orElse("-") + " " + golden.id() + " " + shorten(golden.request())
                            + " want " + golden.status() + " " + shorten(golden.response()) + " got " + reply.status() + " "
                            + shorten(reply.json()));
                }
            }
        }
        assertThat(wrong).isEmpty();
    }

    private static String shorten(Object value) {
        String text = String.valueOf(value);
        return text.length() > 300 ? text.substring(0, 300) + "..." : text;
    }
}
