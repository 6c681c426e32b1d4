package io.glyphgate.plugin.toolparsers;

import static org.assertj.core.api.Assertions.assertThat;

import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.ToolParserProvider;
import io.glyphgate.testkit.Example;
import io.glyphgate.testkit.Parsed;
import io.glyphgate.testkit.ParserLaws;
import io.glyphgate.testkit.Recorder;
import io.glyphgate.testkit.TestContext;
import io.glyphgate.testkit.ToolParserContract;
import java.util.List;
import org.junit.jupiter.api.Test;

class HermesTest extends ToolParserContract {
    private static final String PING = "<tool_call>\n{\"name\": \"ping\", \"arguments\": {}}\n</tool_call>";

    @Override
    protected ToolParserProvider provider() {
        return new Hermes();
    }

    @Override
    protected List<Example> examples() {
        return List.of(
                Example.of("No call at all. ").content("No call at all. "),
                Example.of(" \n ").content(" \n "),
                Example.of(PING).call("ping", "{}"),
                Example.of("\n\n" + PING + "\n" + PING + " \n")
                        .call("ping", "{}")
                        .call("ping", "{}"),
                Example.of("Before.\n\n" + PING).content("Before.\n\n").call("ping", "{}"),
                Example.of(PING + "\nAfter.\n").content("After.\n").call("ping", "{}"),
                Example.of("Before.\n" + PING + "\nAfter.\n\n" + PING)
                        .content("Before.\n\nAfter.\n\n")
                        .call("ping", "{}")
                        .call("ping", "{}"),
                Example.of(
                                "<tool_call>{\"name\":\"f\",\"arguments\":[{\"b\":\"}\\\"</tool_call>\"}]}</tool_call>")
                        .call("f", "[{\"b\":\"}\\\"</tool_call>\"}]"),
                Example.of("""
                        <tool_call>
                        {"arguments": {"x": 1}, "id": ["name"], "name": "f\\u00e9"}
                        </tool_call>""")
                        .call("fé", "{\"x\": 1}"),
                Example.of("<tool_call>{\"name\": \"f\", \"parameters\": \"{\\\"a\\\": 1}\"}</tool_call>")
                        .call("f", "\"{\\\"a\\\": 1}\""),
                Example.of("<tool_call>{\"name\": \"f\", \"arguments\": 12, \"parameters\": 13}</tool_call>")
                        .call("f", "12"),
                Example.of("<tool_call>{\"name\": \"f\"}</tool_call>").call("f", "{}"),
                Example.of("<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": NaN,}}</tool_call>")
                        .call("f", "{\"a\": NaN,}"),
                Example.of("<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": 1}</tool_call> Done.")
                        .content("Done.")
                        .call("f", "{\"a\": 1}"),
                Example.of("<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": 1</tool_call>" + PING)
                        .call("f", "{\"a\": 1")
                        .call("ping", "{}"),
                Example.of("<tool_call>{\"name\": \"f\", \"arguments\": {}}}} x</tool_call>y")
                        .content("xy")
                        .call("f", "{}"),
                Example.of("<tool_call>\n{\"name\": \"f\", \"arguments\": {}}\n" + PING)
                        .call("f", "{}")
                        .call("ping", "{}"),
                Example.of("<tool_call>{\"name\": \"f\", \"arguments\": {\"at\": \"Sk")
                        .endedBy(FinishReason.LENGTH)
                        .call("f", "{\"at\": \"Sk"),
                Example.of("<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": 1</tool")
                        .endedBy(FinishReason.LENGTH)
                        .call("f", "{\"a\": 1"),
                Example.of("a <tool_call>{\"name\": \"f\", \"arguments\": {}}\n</tool_ca")
                        .content("a ")
                        .call("f", "{}"),
                Example.of(PING + "\n<tool_cal").content("<tool_cal").call("ping", "{}"),
                Example.of("<tool_call>{\"name\": \"f\", \"argu")
                        .endedBy(FinishReason.LENGTH)
                        .call("f", ""),
                Example.of("<tool_call>{\"name\": \"f")
                        .content("<tool_call>{\"name\": \"f")
                        .endedBy(FinishReason.LENGTH),
                Example.of("Write <tool_call> and then JSON.").content("Write <tool_call> and then JSON."),
                Example.of("<tool_call> <tool_call> x").content("<tool_call> <tool_call> x"),
                Example.of("<tool_call>{'name': 'f'}</tool_call>").content("<tool_call>{'name': 'f'}</tool_call>"),
                Example.of("<tool_call>{\"name\": 5}</tool_call>").content("<tool_call>{\"name\": 5}</tool_call>"),
                Example.of("<tool_call>{\"name\": \"\"}</tool_call>")
                        .content("<tool_call>{\"name\": \"\"}</tool_call>"),
                Example.of("<tool_call>{\"arguments\": {}} " + PING)
                        .content("<tool_call>{\"arguments\": {}} ")
                        .call("ping", "{}"),
                Example.of("A </tool_call> alone, <tool_cal").content("A </tool_call> alone, <tool_cal"));
    }

    @Test
    void tellsOfAMemberThatHasNoPlace() {
        String output = "<tool_call>{\"id\": \"7\", \"name\": \"f\", \"arguments\": {}}</tool_call>";
        Recorder out =
                ParserLaws.run(new Hermes().create(TestContext.builder().build()), List.of(output), FinishReason.STOP);
        assertThat(out.parsed().calls()).containsExactly(new Parsed.Call("f", null, "{}"));
        assertThat(out.anomalies()).containsExactly("unknown-member");
    }
}
