package io.glyphgate.plugin.toolparsers;

import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.ToolChoice;
import io.glyphgate.spi.ToolParserProvider;
import io.glyphgate.testkit.Example;
import io.glyphgate.testkit.TestContext;
import io.glyphgate.testkit.ToolParserContract;
import java.util.ArrayList;
import java.util.List;

/** The contract of families that write their calls as one JSON array between two markers. */
abstract class JsonArrayContract extends ToolParserContract {
    private final ToolParserProvider provider;
    private final String open;
    private final String close;
    private final String around;

    /**
     * A family.
     *
     * @param open what stands before the array
     * @param close what stands behind it; possibly empty
     * @param around the content where a call between two lines is cut out
     */
    JsonArrayContract(ToolParserProvider provider, String open, String close, String around) {
        this.provider = provider;
        this.open = open;
        this.close = close;
        this.around = around;
    }

    /** What only this family does. */
    List<Example> more() {
        return List.of();
    }

    @Override
    protected final ToolParserProvider provider() {
        return provider;
    }

    @Override
    protected final List<Example> examples() {
        String call = "{\"name\": \"f\", \"arguments\": {\"a\": 1}}";
        String one = calls(call);
        List<Example> examples = new ArrayList<>(List.of(
                Example.of("No call at all. ").content("No call at all. "),
                Example.of(one).call("f", "{\"a\": 1}"),
                Example.of(calls(call + ", {\"arguments\": {\"name\": {}}, \"name\": \"g\"}"))
                        .call("f", "{\"a\": 1}")
                        .call("g", "{\"name\": {}}"),
                Example.of("Before.\n" + one + "\nAfter.\n").content(around).call("f", "{\"a\": 1}"),
                Example.of(calls("{\"name\": \"f\", \"parameters\": {\"a\": \"]} " + open + "[, \\\"\"}}"))
                        .call("f", "{\"a\": \"]} " + open + "[, \\\"\"}"),
                Example.of(calls("{\"name\": \"f\"}")).call("f", "{}"),
                Example.of(open + "[{\"name\": \"f\", \"arguments\": {\"a\": 1}").call("f", "{\"a\": 1}"),
                Example.of(open + "[{\"name\": \"f\", \"arguments\": {\"a\": \"b")
                        .endedBy(FinishReason.LENGTH)
                        .call("f", "{\"a\": \"b"),
                Example.of(one + " x" + open + "[ y").content("x" + open + "[ y").call("f", "{\"a\": 1}"),
                Example.of(open + "[{\"name\": \"f").endedBy(FinishReason.LENGTH).content(open + "[{\"name\": \"f"),
                Example.of(open + "[]").content(open + "[]"),
                Example.of(calls("{\"name\": 5}")).content(calls("{\"name\": 5}")),
                Example.of(open + "[" + call + ", {\"nam")
                        .endedBy(FinishReason.LENGTH)
                        .content("{\"nam")
                        .call("f", "{\"a\": 1}"),
                Example.of("[{\"name\": \"f\", \"parameters\": {\"a\": [{}]}}, {\"name\": \"g\", \"parameters\": {}}]")
                        .in(choice(ToolChoice.REQUIRED))
                        .call("f", "{\"a\": [{}]}")
                        .call("g", "{}"),
                Example.of(one).in(choice(ToolChoice.REQUIRED)).call("f", "{\"a\": 1}"),
                Example.of("I will not.").in(choice(ToolChoice.REQUIRED)).content("I will not."),
                Example.of(" {\"a\": 1")
                        .in(choice(ToolChoice.named("f")))
                        .endedBy(FinishReason.LENGTH)
                        .call("f", " {\"a\": 1"),
                Example.of(" \n").in(choice(ToolChoice.named("f"))).content(" \n")));
        examples.addAll(more());
        return examples;
    }

    private String calls(String inside) {
        return open + "[" + inside + "]" + close;
    }

    private static TestContext choice(ToolChoice choice) {
        return TestContext.builder().toolChoice(choice).build();
    }
}
