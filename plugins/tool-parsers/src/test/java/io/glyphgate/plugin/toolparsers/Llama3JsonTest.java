package io.glyphgate.plugin.toolparsers;

import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.ToolParserProvider;
import io.glyphgate.testkit.Example;
import io.glyphgate.testkit.ToolParserContract;
import java.util.List;

class Llama3JsonTest extends ToolParserContract {
    private static final String UP = "{\"name\": \"up\", \"parameters\": {\"m\": 3}}";
    private static final String DOWN = "{\"name\": \"down\", \"arguments\": {}}";

    @Override
    protected ToolParserProvider provider() {
        return new Llama3Json();
    }

    @Override
    protected List<Example> examples() {
        return List.of(
                Example.of("No call at all. ").content("No call at all. "),
                Example.of("{\"mood\": \"calm\", \"wind\": 3}").content("{\"mood\": \"calm\", \"wind\": 3}"),
                Example.of("Sets {a, b} and { are [text].").content("Sets {a, b} and { are [text]."),
                Example.of("{\"a\": {\"name\": \"f\"}} [{\"b\": 1}]").content("{\"a\": {\"name\": \"f\"}} [{\"b\": 1}]"),
                Example.of(UP).call("up", "{\"m\": 3}"),
                Example.of("<|python_tag|>" + UP + ";" + DOWN)
                        .call("up", "{\"m\": 3}")
                        .call("down", "{}"),
                Example.of(UP + " ;; " + DOWN + "\n" + UP)
                        .call("up", "{\"m\": 3}")
                        .call("down", "{}")
                        .call("up", "{\"m\": 3}"),
                Example.of("[" + UP + ", " + DOWN + "]")
                        .call("up", "{\"m\": 3}")
                        .call("down", "{}"),
                Example.of("Now.\n" + UP + "; done")
                        .content("Now.\n; done")
                        .call("up", "{\"m\": 3}"),
                Example.of("{\"name\": \"say\", \"parameters\": {\"text\": \"maçã; {}, 😀\"}}")
                        .call("say", "{\"text\": \"maçã; {}, 😀\"}"),
                Example.of("{\"name\": \"f\", \"parameters\": {\"a\": {\"b\": [{}]},}}")
                        .call("f", "{\"a\": {\"b\": [{}]},}"),
                Example.of(UP + "; {\"name\": \"f\", \"parameters\": {\"a")
                        .endedBy(FinishReason.LENGTH)
                        .call("up", "{\"m\": 3}")
                        .call("f", "{\"a"),
                Example.of("{\"name\": \"f").endedBy(FinishReason.LENGTH).content("{\"name\": \"f"));
    }
}
