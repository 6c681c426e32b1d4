package io.glyphgate.plugin.toolparsers;

import io.glyphgate.spi.Tool;
import io.glyphgate.spi.ToolChoice;
import io.glyphgate.toolkit.Arguments;
import io.glyphgate.toolkit.CallConstraint;
import io.glyphgate.toolkit.CallFormat;
import io.glyphgate.toolkit.CallFormat.WhiteSpace;
import io.glyphgate.toolkit.FormatToolParserProvider;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Hermes 2 Pro, Qwen2.5 and Qwen3: each call is a JSON object between {@code <tool_call>} tags. */
public final class Hermes extends FormatToolParserProvider {
    private static final CallFormat FORMAT = CallFormat.of(
                    new Arguments.JsonCalls(new Arguments.JsonCall("name", List.of("arguments", "parameters"))))
            .call("<tool_call>", List.of("{"), "</tool_call>")
            .whiteSpace(WhiteSpace.KEPT)
            .build();

    private static final CallConstraint CONSTRAINT = CallConstraint.listed(
            "<tool_call>",
            "json",
            new CallConstraint.Form("<tool_call>\n{\"name\": \"", "\", \"arguments\": ", "}\n</tool_call>"),
            new CallConstraint.Form("<tool_call>{\"name\": \"", "\", \"arguments\": ", "}</tool_call>"));

    /** For the service loader. */
    public Hermes() {
        super("hermes", Set.of("qwen3_json"), FORMAT);
    }

    @Override
    public Optional<Map<String, Object>> constraint(List<Tool> tools, ToolChoice choice, boolean parallel) {
        return CONSTRAINT.of(tools, choice, parallel);
    }
}
