package io.glyphgate.proxy.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.glyphgate.proxy.plugin.Registry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The rules promise what the parsers give on malformed output too: of which vLLM's batch parser makes text, all of
 * it.
 */
class DifferenceRulesTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    Path folder;

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "<tool_call>\\n{\"name\": \"f\", \"arguments\": {\"a\": 1}}}\\n</tool_call> | D6",
                "Hi.\\n<tool_call>\\n{\"name\": \"f\", \"arguments\": {\"a\": 1}\\n</tool_call> | D6",
                "<tool_call>\\n{\"name\": \"f\", \"arguments\": {\"a\": 1\\n</tool_call> | D6",
                "<tool_call>\\n{\"name\": \"f\", \"arguments\": {\"a\": \"open}}\\n</tool_call> | D5",
                "<tool_call>\\n<tool_call>\\n{\"name\": \"f\", \"arguments\": {}}\\n</tool_call> | D6",
                "<tool_call>\\n{\"name\": \"f\", \"arguments\": null,}\\n</tool_call>\\nDone. | D6",
                "<tool_call>{\"name\": \"f\", \"arguments\": {}}</tool_call><tool_call>{\"name\": \"g\"}</tool_call>"
                        + " bye | D6",
                "<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": \"x </tool_call> y\"}, \"id\": 1}</tool_call> |"
                        + " D6",
                "Use <b>x</b> <tool_call> ok | ``",
            })
    void aPromiseIsWhatTheParsersGive(String output, String rules) throws IOException {
        String text = output.replace("\\n", "\n");
        ObjectNode golden = JSON.createObjectNode()
                .put("name", "malformed")
                .put("kind", "tools")
                .put("family", "hermes")
                .put("tool_parser", "hermes")
                .put("tokenizer", "none")
                .put("engine_finish_reason", "stop")
                .put("finish_reason", "stop");
        golden.putObject("request").put("tools", "std");
        golden.putObject("detok")
                .put("text", text)
                .put("finish_reason", "stop")
                .put("kept_tokens", 1)
                .withArray("deltas")
                .add(text);
        golden.withArray("token_ids").add(0);
        golden.putObject("message").put("content", text);
        Path file = Files.writeString(folder.resolve("malformed.jsonl"), golden.toString());
        try (Registry registry = Registry.of(DifferenceRulesTest.class.getClassLoader())) {
            Report report = new Conformance(registry).run(List.of(file), Optional.empty(), Optional.empty());
            assertThat(report.families().get(0).failures()).isEmpty();
            assertThat(report.families().get(0).rules().keySet())
                    .containsExactlyInAnyOrder(rules.isEmpty() ? new String[0] : rules.split(" "));
        }
    }

    @Test
    void everyRuleHasANumberOfItsOwnThatTheDocumentationExplains() throws IOException {
        Set<String> ids = DifferenceRules.ALL.stream().map(Rule::id).collect(Collectors.toSet());
        assertThat(ids).hasSameSizeAs(DifferenceRules.ALL);
        String page = Files.readString(Path.of("../../docs/reference/differences.md"));
        for (Rule rule : DifferenceRules.ALL) {
            assertThat(page).contains("### " + rule.id() + " " + rule.title().replaceAll(" \\(.*", ""));
        }
    }
}
