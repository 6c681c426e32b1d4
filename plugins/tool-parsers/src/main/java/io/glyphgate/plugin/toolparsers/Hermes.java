package io.glyphgate.plugin.toolparsers;

import io.glyphgate.toolkit.Arguments;
import io.glyphgate.toolkit.CallFormat;
import io.glyphgate.toolkit.CallFormat.WhiteSpace;
import io.glyphgate.toolkit.FormatToolParserProvider;
import java.util.List;
import java.util.Set;

/** Hermes 2 Pro, Qwen2.5 and Qwen3: each call is a JSON object between {@code <tool_call>} tags. */
public final class Hermes extends FormatToolParserProvider {
    private static final CallFormat FORMAT = CallFormat.of(
                    new Arguments.JsonCall("name", List.of("arguments", "parameters")))
            .call("<tool_call>", List.of("{"), "</tool_call>")
            .whiteSpace(WhiteSpace.KEPT)
            .build();

    /** For the service loader. */
    public Hermes() {
        super("hermes", Set.of("qwen3_json"), FORMAT);
    }
}
