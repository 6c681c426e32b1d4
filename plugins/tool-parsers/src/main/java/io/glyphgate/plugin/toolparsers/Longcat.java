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

/** LongCat-Flash: as {@link Hermes} between tags of its own. */
public final class Longcat extends FormatToolParserProvider {
    private static final CallFormat FORMAT = CallFormat.of(
                    new Arguments.JsonCall("name", List.of("arguments", "parameters")))
            .call("<longcat_tool_call>", List.of("{"), "</longcat_tool_call>")
            .whiteSpace(WhiteSpace.KEPT)
            .build();

    private static final CallConstraint CONSTRAINT = CallConstraint.listed(
            "<longcat_tool_call>",
            "json",
            new CallConstraint.Form("<longcat_tool_call>\n{\"name\": \"", "\", \"arguments\": ", "}\n</longcat_tool_call>"),
            new CallConstraint.Form("<longcat_tool_call>{\"name\": \"", "\", \"arguments\": ", "}</longcat_tool_call>"));

    /** For the service loader. */
    public Longcat() {
        super("longcat", FORMAT);
    }

    @Override
    public Optional<Map<String, Object>> constraint(List<Tool> tools, ToolChoice choice, boolean parallel) {
        return CONSTRAINT.of(tools, choice, parallel);
    }
}
