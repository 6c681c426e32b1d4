package io.glyphgate.plugin.toolparsers;

import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.ToolChoice;
import io.glyphgate.spi.ToolParserProvider;
import io.glyphgate.testkit.Example;
import io.glyphgate.testkit.TestContext;
import io.glyphgate.testkit.ToolParserContract;
import java.util.List;

class XlamTest extends ToolParserContract {
    @Override
    protected ToolParserProvider provider() {
        return new Xlam();
    }

    @Override
    protected List<Example> examples() {
        return List.of(
                Example.of("No call at all. ").content("No call at all. "),
                Example.of(" [{\"name\": \"f\", \"arguments\": {\"a\": 1}}, {\"arguments\": {}, \"name\": \"g\"}]\n").call("f", "{\"a\": 1}").call("g", "{}"),
                Example.of("I look.\n```json\n[{\"name\": \"f\", \"arguments\": {\"a\": 1}}]\n```\nDone.").content("I look.\nDone.").call("f", "{\"a\": 1}"),
                Example.of("```\n[{\"name\": \"f\", \"arguments\": {\"a\": 1}}]```").call("f", "{\"a\": 1}"),
                Example.of("<tool_call>[{\"name\": \"f\", \"arguments\": {\"a\": 1}}]</tool_call>").call("f", "{\"a\": 1}"),
                Example.of("[TOOL_CALLS] [{\"name\": \"f\", \"arguments\": {\"a\": 1}}]\n[TOOL_CALLS][{\"name\": \"f\", \"arguments\": {\"a\": 1}}]").call("f", "{\"a\": 1}").call("f", "{\"a\": 1}"),
                Example.of("[TOOL_CALLS][{\"name\": \"f\", \"arguments\": {\"a\": 1}}]\nRun ```ls```.").content("Run ```ls```.").call("f", "{\"a\": 1}"),
                Example.of("<think>Hm.</think>\n[{\"name\": \"f\", \"arguments\": {\"a\": 1}}]").content("<think>Hm.</think>").call("f", "{\"a\": 1}"),
                Example.of("Hm. [{\"name\": \"f\", \"arguments\": {\"a\": 1}}]").content("Hm. [{\"name\": \"f\", \"arguments\": {\"a\": 1}}]"),
                Example.of("{\"name\": \"f\", \"arguments\": {\"a\": 1}}").content("{\"name\": \"f\", \"arguments\": {\"a\": 1}}"),
                Example.of("[1, 2]").content("[1, 2]"),
                Example.of("```json\n{\"depth\": 3}\n```").content("```json\n{\"depth\": 3}\n```"),
                Example.of("```sh\nls\n```\n[TOOL_CALLS][{\"name\": \"f\", \"arguments\": {\"a\": 1}}]")
                        .content("```sh\nls\n```")
                        .call("f", "{\"a\": 1}"),
                Example.of("[{\"name\": \"f\", \"arguments\": \"{\\\"a\\\": \\\"b\\u00e9\\\"}\"}]")
                        .call("f", "{\"a\": \"bé\"}"),
                Example.of("[{\"arguments\": \"{}\", \"name\": \"f\"}]").call("f", "{}"),
                Example.of("[{\"name\": \"f\", \"arguments\": \"{\\\"a")
                        .endedBy(FinishReason.LENGTH)
                        .call("f", "{\"a"),
                Example.of("[{\"name\": \"f\", \"arguments\": {\"s\": \"``` ] [\"}}]").call("f", "{\"s\": \"``` ] [\"}"),
                Example.of("[{\"name\": \"f\", \"arguments\": {\"a\": 1}, {\"name\": \"f\", \"arguments\": {\"a\": 1}}]")
                        .call("f", "{\"a\": 1}")
                        .call("f", "{\"a\": 1}"),
                Example.of("[{\"name\": \"f\", \"arguments\": {\"a\": 1}]").call("f", "{\"a\": 1}"),
                Example.of("[").endedBy(FinishReason.LENGTH).content("["),
                Example.of("a ```jso").endedBy(FinishReason.LENGTH).content("a ```jso"),
                Example.of("[{\"name\": \"f\", \"arguments\": {\"a\": 1}}]").in(choice(ToolChoice.REQUIRED)).call("f", "{\"a\": 1}"),
                Example.of("[{\"name\": \"f\", \"parameters\": {\"a\": [{}]}}]")
                        .in(choice(ToolChoice.REQUIRED))
                        .call("f", "{\"a\": [{}]}"),
                Example.of("[{\"name\": \"f\", \"arguments\": {\"a\": 1}}]").in(choice(ToolChoice.named("f"))).call("f", "[{\"name\": \"f\", \"arguments\": {\"a\": 1}}]"));
    }

    private static TestContext choice(ToolChoice choice) {
        return TestContext.builder().toolChoice(choice).build();
    }
}
