package io.glyphgate.proxy.observe;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class MetersTest {
    @Test
    void anomaliesAreCountedByPoolAndParser() {
        try (Meters meters = new Meters()) {
            meters.anomalies("chat", "tool-parser", "granite").expect(List.of("marker-in-content"));
            meters.anomalies("chat", "tool-parser", "granite").count("unclosed-call");
            meters.anomalies("chat", "reasoning-parser", "granite").count("unclosed-reasoning");
            meters.anomalies("other", "tool-parser", "granite").count("unclosed-call");
            meters.anomalies("other", "tool-parser", "granite").count("unclosed-call");
            assertThat(meters.scrape())
                    .contains(line("marker-in-content", "granite", "tool-parser", "chat", 0))
                    .contains(line("unclosed-call", "granite", "tool-parser", "chat", 1))
                    .contains(line("unclosed-reasoning", "granite", "reasoning-parser", "chat", 1))
                    .contains(line("unclosed-call", "granite", "tool-parser", "other", 2));
        }
    }

    @Test
    void aParserThatMakesUpKindsHasFewOfThemAndTakesNoneFromOthers() {
        try (Meters meters = new Meters()) {
            Meters.Anomalies noisy = meters.anomalies("chat", "tool-parser", "noisy");
            noisy.expect(List.of("marker-in-content"));
            IntStream.range(0, 1000).forEach(i -> noisy.count("kind-" + i));
            noisy.count("marker-in-content");
            meters.anomalies("chat", "tool-parser", "quiet").count("unclosed-call");
            String text = meters.scrape();
            assertThat(text.lines().filter(line -> line.contains("parser=\"noisy\""))).hasSize(22);
            assertThat(text)
                    .contains(line("kind-0", "noisy", "tool-parser", "chat", 1))
                    .contains(line("marker-in-content", "noisy", "tool-parser", "chat", 1))
                    .contains(line("other", "noisy", "tool-parser", "chat", 980))
                    .contains(line("unclosed-call", "quiet", "tool-parser", "chat", 1));
        }
    }

    @Test
    void whatIsAskedForWhenTheMetersAreReadIsNotForgotten() {
        try (Meters meters = new Meters()) {
            AtomicInteger count = new AtomicInteger();
            meters.captures("written", () -> count.get());
            count.set(7);
            System.gc();
            assertThat(meters.scrape()).contains("glyphgate_captures_total{result=\"written\"} 7.0\n");
        }
    }

    private static String line(String kind, String parser, String parserKind, String pool, int count) {
        return "glyphgate_parse_anomalies_total{kind=\"" + kind + "\",parser=\"" + parser + "\",parser_kind=\"" + parserKind
                + "\",pool=\"" + pool + "\"} " + count + ".0\n";
    }
}
