package io.glyphgate.plugin.toolparsers;

import io.glyphgate.toolkit.Arguments.Tagged.Space;
import io.glyphgate.toolkit.CallFormat;
import io.glyphgate.toolkit.FormatToolParserProvider;

/** MiMo: as {@link Qwen3Coder}, but newlines around a value belong to it. */
public final class Mimo extends FormatToolParserProvider {
    private static final CallFormat FORMAT = Qwen3Coder.tagged(Space.NONE).build();

    /** For the service loader. */
    public Mimo() {
        super("mimo", FORMAT);
    }
}
