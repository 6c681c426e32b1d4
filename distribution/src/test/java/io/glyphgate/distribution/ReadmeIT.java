package io.glyphgate.distribution;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the README tells a newcomer to do works. */
class ReadmeIT {
    private static final Pattern REQUEST = Pattern.compile("--json '([^']*)' \\\\\n  localhost:8080(/\\S+)");
    private static final Pattern METRIC = Pattern.compile("^# TYPE (\\S+) ", Pattern.MULTILINE);
    private static final Pattern CONFIG = Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL);

    @Test
    void theRequestsToTheDemoAreAnswered() throws Exception {
        List<MatchResult> requests = REQUEST.matcher(readme()).results().toList();
        assertThat(requests).hasSize(7);
        try (Service demo = Service.start(Installation.built(), "demo", "--port", "0")) {
            assertThat(demo.get("/ready").status()).isEqualTo(200);
            for (MatchResult each : requests) {
                String request = each.group(1);
                Answer answer = demo.post(each.group(2), request);

                assertThat(answer.status()).as("%s: %s", request, answer.body()).isEqualTo(200);
                assertThat(answer.contentType())
                        .as(request)
                        .startsWith(request.contains("\"stream\": true") ? "text/event-stream" : "application/json");
                assertThat(answer.body()).as(request).contains("\"token_ids\"");
                if (request.contains("\"text\"")) {
                    assertThat(answer.all("text")).as(answer.body()).isNotEmpty();
                }
                if (request.contains("\"derender\"") || request.contains("\"messages\"")) {
                    assertThat(answer.all("reasoning")).as(answer.body()).contains("A greeting.");
                    assertThat(answer.all("content")).as(answer.body()).endsWith("Hello!");
                }
            }
            metricsAreDocumented(demo.get("/metrics"));
        }
    }

    private static void metricsAreDocumented(Answer metrics) throws IOException {
        String reference = Files.readString(Path.of("../docs/reference/metrics.md"));

        assertThat(METRIC.matcher(metrics.body()).results().map(metric -> metric.group(1)))
                .contains("glyphgate_requests_total", "glyphgate_time_to_first_token_seconds")
                .allSatisfy(name -> assertThat(reference).contains("`" + name + "`"));
    }

    @Test
    void theConfigurationIsFine(@TempDir Path temp) throws Exception {
        Matcher yaml = CONFIG.matcher(readme());
        assertThat(yaml.find()).isTrue();
        String shipped = Installation.built().home().resolve("tokenizers/qwen3/tokenizer.json.gz").toString();
        Path config = Files.writeString(
                temp.resolve("glyphgate.yaml"), yaml.group(1).replaceFirst("/models/\\S+", Matcher.quoteReplacement(shipped)));

        Launch launch = Installation.built().run("check", "--config", config.toString());

        assertThat(launch.status()).as(launch.output()).isZero();
    }

    private static String readme() throws IOException {
        return Files.readString(Path.of("../README.md"));
    }
}
