package io.glyphgate.plugin.toolparsers;

import io.glyphgate.toolkit.Arguments;
import io.glyphgate.toolkit.CallFormat;
import io.glyphgate.toolkit.CallFormat.Demanded;
import io.glyphgate.toolkit.CallFormat.WhiteSpace;
import io.glyphgate.toolkit.FormatToolParserProvider;
import java.util.List;

/** InternLM2: each call is a JSON object between the markers of a plugin action. */
public final class InternLm extends FormatToolParserProvider {
    private static final CallFormat FORMAT = CallFormat.of(
                    new Arguments.JsonCalls(new Arguments.JsonCall("name", List.of("arguments", "parameters"))))
            .call("<|action_start|><|plugin|>", List.of("{"), "<|action_end|>")
            .whiteSpace(WhiteSpace.KEPT)
            .demanded(Demanded.JSON)
            .visible("<|action_start|>", "<|plugin|>", "<|interpreter|>", "<|action_end|>")
            .build();

    /** For the service loader. */
    public InternLm() {
        super("internlm", FORMAT);
    }
}
