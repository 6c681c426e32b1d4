package io.glyphgate.plugin.toolparsers;

import io.glyphgate.toolkit.Arguments;
import io.glyphgate.toolkit.CallFormat;
import io.glyphgate.toolkit.CallFormat.WhiteSpace;
import io.glyphgate.toolkit.FormatToolParserProvider;
import java.util.List;

/** DeepSeek V3 and R1: sections of calls with the arguments as JSON in a code fence. */
public final class DeepSeekV3 extends FormatToolParserProvider {
    private static final CallFormat FORMAT = CallFormat.of(new Arguments.JsonValue())
            .group("<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>")
            .call("<｜tool▁call▁begin｜>function<｜tool▁sep｜>", List.of(), "\n```<｜tool▁call▁end｜>")
            .groupEnd("\n```<｜tool▁calls▁end｜>")
            .groupEnd("```<｜tool▁calls▁end｜>")
            .callEnd("```<｜tool▁call▁end｜>")
            .callEnd("<｜tool▁call▁end｜>")
            .nameEnd("\n```json\n")
            .whiteSpace(WhiteSpace.KEPT)
            .build();

    /** For the service loader. */
    public DeepSeekV3() {
        super("deepseek_v3", FORMAT);
    }
}
