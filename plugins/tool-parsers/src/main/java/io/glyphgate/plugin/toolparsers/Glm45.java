package io.glyphgate.plugin.toolparsers;

import io.glyphgate.spi.ParseContext;
import io.glyphgate.spi.ToolOpener;
import io.glyphgate.spi.ToolParser;
import io.glyphgate.spi.ToolParserProvider;
import io.glyphgate.toolkit.Arguments;
import io.glyphgate.toolkit.Arguments.Tagged.Space;
import io.glyphgate.toolkit.CallFormat;
import java.util.List;
import java.util.Set;

/** GLM-4.5 and later: the name of the function, then {@code <arg_key>} and {@code <arg_value>} in turn. */
public final class Glm45 implements ToolParserProvider {
    private static final CallFormat FORMAT = CallFormat.of(
                    new Arguments.Tagged(
                            "<arg_key>",
                            "</arg_key>",
                            "<arg_value>",
                            "</arg_value>",
                            false,
                            Space.NONE,
                            false,
                            false,
                            List.of()))
            .call("<tool_call>", List.of(), "</tool_call>")
            .offered()
            .nameEnd("\n")
            .nameStop("<arg_key>")
            .nameStop("</tool_call>")
            .build();
    private static final CallFormat.Compiled CALLS = FORMAT.compile();

    /** For the service loader. */
    public Glm45() {}

    @Override
    public String name() {
        return "glm45";
    }

    @Override
    public Set<String> aliases() {
        return Set.of("glm47");
    }

    @Override
    public Set<String> markers() {
        return FORMAT.markers();
    }

    @Override
    public List<ToolOpener> openers() {
        return FORMAT.openers();
    }

    @Override
    public List<ToolOpener> openers(ParseContext context) {
        return FORMAT.openers(context.tools());
    }

    @Override
    public ToolParser create(ParseContext context) {
        return CALLS.parser(context);
    }
}
