package io.glyphgate.proxy.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.glyphgate.proxy.choice.OutputPlan;
import io.glyphgate.proxy.plugin.Registry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.jspecify.annotations.Nullable;

class ConformanceTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    Path folder;

    private Registry registry;

    @BeforeEach
    void load() throws IOException {
        registry = Registry.of(TestParsers.loader(folder));
    }

    @AfterEach
    void close() {
        registry.close();
    }

    /** A rule about cases of one content. */
    private record TestRule(String id, String about, UnaryOperator<Answer> change) implements Rule {
        @Override
        public String title() {
            return "for tests";
        }

        @Override
        public boolean appliesTo(GoldenCase golden) {
            return golden.text().contains(about);
        }

        @Override
        public Answer promise(GoldenCase golden, Answer answer) {
            return change.apply(answer);
        }
    }

    private static ObjectNode golden(String name, List<String> pieces, String reasoning, @Nullable String content) {
        ObjectNode golden = JSON.createObjectNode()
                .put("name", name)
                .put("kind", "reasoning")
                .put("family", "bar")
                .put("reasoning_parser", "up-to-bar")
                .put("tokenizer", "none")
                .put("engine_finish_reason", "length")
                .put("finish_reason", "length");
        golden.putObject("request").put("tools", "none");
        pieces.forEach(golden.withArray("token_ids")::add);
        ObjectNode detok = golden.putObject("detok")
                .put("text", String.join("", pieces))
                .put("finish_reason", "length")
                .put("kept_tokens", pieces.size());
        pieces.forEach(detok.withArray("deltas")::add);
        golden.putObject("message").put("reasoning", reasoning).put("content", content);
        return golden;
    }

    private Report run(List<Rule> rules, JsonNode... cases) throws IOException {
        StringBuilder lines = new StringBuilder();
        for (JsonNode golden : cases) {
            lines.append(golden).append('\n');
        }
        Path file = Files.writeString(folder.resolve("cases.jsonl"), lines);
        return new Conformance(registry, rules).run(List.of(file), Optional.empty(), Optional.empty());
    }

    private static Report.Family only(Report report) {
        assertThat(report.families()).hasSize(1);
        return report.families().get(0);
    }

    @Test
    void aCasePassesWhenTheAnswerIsTheRecordedOne() throws IOException {
        Report report = run(
                List.of(),
                golden("a", List.of("wh", "y|", "so"), "why", "so"),
                golden("b", List.of("why"), "why", null));
        assertThat(only(report).passed()).isEqualTo(2);
        assertThat(only(report).fromTokens()).isZero();
        assertThat(report.failed()).isZero();
    }

    @Test
    void aCaseFailsWhenTheAnswerIsAnother() throws IOException {
        Report report = run(List.of(), golden("a", List.of("why|so"), "wh", "so"));
        assertThat(report.failed()).isEqualTo(1);
        assertThat(only(report).failures().get(0).problems())
                .containsExactly("reasoning: expected \"wh\", got \"why\"");
    }

    @Test
    void aCaseFailsWhenCuttingsGiveDifferentAnswers() throws IOException {
        ObjectNode golden = golden("a", List.of("why", "so"), "", "whyso.").put("reasoning_parser", "restless");
        Report report = run(List.of(), golden);
        assertThat(only(report).failures().get(0).problems())
                .contains("chunks of 1, compared with all at once: content: expected \"whyso.\", got \"why.so.\"")
                .noneMatch(problem -> problem.startsWith("chunks of 2"));
    }

    @Test
    void aRulesPromiseIsDemandedWhereItApplies() throws IOException {
        Rule rule = new TestRule("D1", "why", answer -> answer.withContent("so"));
        Report kept = run(List.of(rule), golden("a", List.of("why|so"), "why", "soo"));
        assertThat(kept.failed()).isZero();
        assertThat(only(kept).rules()).containsExactly(Map.entry("D1", 1));

        Report idle = run(List.of(rule), golden("a", List.of("why|so"), "why", "so"));
        assertThat(idle.failed()).isZero();
        assertThat(only(idle).rules()).isEmpty();

        Report broken = run(List.of(rule), golden("a", List.of("why|no"), "why", "no"));
        assertThat(broken.failed()).isEqualTo(1);

        Report elsewhere = run(List.of(rule), golden("a", List.of("x|no"), "x", "no"));
        assertThat(elsewhere.passed()).isEqualTo(1);
    }

    @Test
    void rulesAreAppliedOneAfterTheOther() throws IOException {
        Rule first = new TestRule("D1", "why", answer -> answer.withContent(answer.content() + "1"));
        Rule second = new TestRule("D2", "why", answer -> answer.withContent(answer.content() + "2"));
        Report report = run(List.of(first, second), golden("a", List.of("why|so12"), "why", "so"));
        assertThat(report.passed()).isEqualTo(1);
        assertThat(only(report).rules()).containsOnlyKeys("D1", "D2");
    }

    @Test
    void aCaseInWhichVllmFailedNeedsARule() throws IOException {
        ObjectNode golden = golden("a", List.of("why|so"), "", "");
        golden.putNull("message");
        assertThat(only(run(List.of(), golden)).failures().get(0).problems().get(0)).contains("no rule says");
        Answer answer = new Answer("", "why", "so", List.of(), "length", "", 1);
        assertThat(run(List.of(new TestRule("D1", "why", before -> answer)), golden).passed())
                .isEqualTo(1);
    }

    @Test
    void aParserThatIsNotThereFailsTheCaseAndNamesThoseThatAre() throws IOException {
        Report report =
                run(List.of(), golden("a", List.of("x"), "x", "").put("reasoning_parser", "up-to-bat"));
        assertThat(only(report).failures().get(0).problems().get(0)).contains("'up-to-bat'", "[restless, up-to-bar]");
    }

    @Test
    void aStandInTakesTheCasesOfItsKindOnly() throws IOException {
        ObjectNode other = golden("a", List.of("wh", "y|", "so"), "why", "so").put("reasoning_parser", "up-to-bat");
        ObjectNode none = golden("b", List.of("why|so"), "", "why|so").putNull("reasoning_parser");
        OutputPlan.Parsers standIns =
                OutputPlan.Parsers.of(registry, Optional.empty(), Optional.of("up-to-bar"), Optional.empty());
        Path file = Files.writeString(folder.resolve("cases.jsonl"), other + "\n" + none + "\n");
        Report report = new Conformance(registry, standIns).run(List.of(file), Optional.empty(), Optional.empty());
        assertThat(only(report).failures()).isEmpty();
        assertThat(report.passed()).isEqualTo(2);
    }

    @Test
    void aCaseThatCannotBePlayedFailsAndTheOthersGoOn() throws IOException {
        ObjectNode broken = golden("a", List.of("x"), "x", "");
        broken.withObject("/request").put("tools", "many");
        Report report = run(List.of(), broken, golden("b", List.of("x"), "x", ""));
        assertThat(report.passed()).isEqualTo(1);
        assertThat(only(report).failures().get(0).problems())
                .containsExactly("the case cannot be played: request.tools is neither \"std\" nor \"none\" nor a list");
    }

    @Test
    void whatIsNoCaseIsToldWithFileAndLine() throws IOException {
        Path file = Files.writeString(folder.resolve("bad.jsonl"), "\n{\"kind\": \"reasoning\"\n");
        Conformance conformance = new Conformance(registry, List.of());
        assertThatThrownBy(() -> conformance.run(List.of(file), Optional.empty(), Optional.empty()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("bad.jsonl:2: not a line of JSON");
        Files.writeString(file, "{\"kind\": \"adjust\"}");
        assertThatThrownBy(() -> conformance.run(List.of(file), Optional.empty(), Optional.empty()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("bad.jsonl:1: not a recorded case: its kind is 'adjust'");
    }

    @Test
    void argumentsAreComparedAsJsonValues() {
        Answer expected = calls("{\"a\": 1.0, \"b\": [\"x\"]}");
        assertThat(expected.differences(calls("{\"b\":[\"\\u0078\"],\"a\":1}"))).isEmpty();
        assertThat(expected.differences(calls("{\"b\":[\"x\"],\"a\":2}"))).hasSize(1);
        assertThat(expected.differences(calls("{\"b\":[\"x\"],\"a\":1"))).hasSize(1);
        assertThat(calls("{\"a\": ").differences(calls("{\"a\":"))).hasSize(1);
        assertThat(calls("{\"a\":").differences(calls("{\"a\":"))).isEmpty();
    }

    private static Answer calls(String arguments) {
        return new Answer("", "", "", List.of(new Answer.Call("", "f", arguments)), "tool_calls", "", 3);
    }

    @Test
    void aContradictionOfVllmIsCountedByTheAnswerThatSettlesIt() throws IOException {
        Report report = run(
                List.of(new TestRule("D1", "rule", answer -> answer.withContent("none"))),
                streamed(golden("a", List.of("why|so"), "why", "so"), "why", "so"),
                streamed(golden("b", List.of("why|so"), "why", "so"), "why", null),
                streamed(golden("c", List.of("rule|none"), "rule", ""), "", "rule|none"),
                streamed(golden("d", List.of("why|so"), "why", "other"), "why", "so"));
        assertThat(only(report).settled())
                .containsOnly(Map.entry(Settled.AS_BATCH, 1), Map.entry(Settled.AS_NEITHER, 1));
        assertThat(report.failed()).isEqualTo(1);
        Report stream = run(
                List.of(new TestRule("D1", "why", answer -> answer.withContent("so"))),
                streamed(golden("d", List.of("why|so"), "why", "other"), "why", "so"));
        assertThat(only(stream).settled()).containsOnly(Map.entry(Settled.AS_STREAM, 1));
    }

    private static ObjectNode streamed(ObjectNode golden, String reasoning, @Nullable String content) {
        golden.withArray("streams")
                .addObject()
                .put("chunking", "fixed1")
                .put("finish_reason", "length")
                .putObject("assembled")
                .put("reasoning", reasoning)
                .put("content", content);
        return golden;
    }

    @Test
    void theReportEndsWithTheNumbers() throws IOException {
        Rule rule = new TestRule("D1", "why", answer -> answer.withContent("so"));
        Report report = run(
                List.of(rule), golden("a", List.of("why|so"), "why", "soo"), golden("b", List.of("x|no"), "x", "yes"));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        Conformance conformance = new Conformance(registry, List.of(rule));
        conformance.print(report, new PrintStream(bytes, true, StandardCharsets.UTF_8));
        List<String> lines = bytes.toString(StandardCharsets.UTF_8).lines().toList();
        assertThat(lines.get(0))
                .startsWith("reasoning/bar")
                .contains("1 passed", "1 failed", "from recorded text", "D1×1");
        assertThat(lines).contains("FAILED reasoning/bar b", "  content: expected \"yes\", got \"no\"");
        assertThat(lines).anyMatch(line -> line.contains("D1") && line.contains("for tests"));
        assertThat(lines.get(lines.size() - 1)).isEqualTo("1 passed, 1 failed");

        JsonNode json = JSON.readTree(conformance.json(report));
        assertThat(json.path("failed").asInt()).isEqualTo(1);
        assertThat(json.at("/families/0/differences/D1").asInt()).isEqualTo(1);
        assertThat(json.at("/families/0/failures/0/case").asText()).isEqualTo("b");
    }
}
