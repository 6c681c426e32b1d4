package io.glyphgate.plugin.toolparsers;

import io.glyphgate.toolkit.Arguments.Tagged.Space;
import io.glyphgate.toolkit.CallFormat;
import io.glyphgate.toolkit.CallFormat.WhiteSpace;
import io.glyphgate.toolkit.FormatToolParserProvider;

/** Step 5: as {@link Qwen3Coder}, but white space between text and a call is content. */
public final class Step5 extends FormatToolParserProvider {
    private static final CallFormat FORMAT = Qwen3Coder.tagged(Space.LINES)
            .whiteSpace(WhiteSpace.KEPT)
            .constraint(Qwen3Coder.CONSTRAINT)
            .build();

    /** For the service loader. */
    public Step5() {
        super("step5", FORMAT);
    }
}
