package io.glyphgate.plugin.toolparsers;

import io.glyphgate.toolkit.Arguments;
import io.glyphgate.toolkit.Arguments.Tagged.Space;
import io.glyphgate.toolkit.CallFormat;
import io.glyphgate.toolkit.FormatToolParserProvider;
import java.util.List;
import java.util.Set;

/** GLM-4.5 and later: the name of the function, then {@code <arg_key>} and {@code <arg_value>} in turn. */
public final class Glm45 extends FormatToolParserProvider {
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

    /** For the service loader. */
    public Glm45() {
        super("glm45", Set.of("glm47"), FORMAT);
    }
}
