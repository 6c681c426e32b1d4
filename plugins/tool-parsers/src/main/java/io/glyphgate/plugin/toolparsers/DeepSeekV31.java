package io.glyphgate.plugin.toolparsers;

import io.glyphgate.toolkit.Arguments;
import io.glyphgate.toolkit.CallFormat;
import io.glyphgate.toolkit.CallFormat.WhiteSpace;
import io.glyphgate.toolkit.FormatToolParserProvider;
import java.util.List;

/** DeepSeek V3.1: sections of calls with the arguments as JSON. */
public final class DeepSeekV31 extends FormatToolParserProvider {
    private static final CallFormat FORMAT = CallFormat.of(new Arguments.JsonValue())
            .group("<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>")
            .call("<｜tool▁call▁begin｜>", List.of(), "<｜tool▁call▁end｜>")
            .nameEnd("<｜tool▁sep｜>")
            .whiteSpace(WhiteSpace.KEPT)
            .build();

    /** For the service loader. */
    public DeepSeekV31() {
        super("deepseek_v31", FORMAT);
    }
}
