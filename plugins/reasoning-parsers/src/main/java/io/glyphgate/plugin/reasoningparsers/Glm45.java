package io.glyphgate.plugin.reasoningparsers;

import io.glyphgate.toolkit.FormatReasoningParserProvider;
import io.glyphgate.toolkit.ReasoningFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * GLM-4.5 and later: reasoning from the start of the output, unless {@code thinking} or {@code enable_thinking} is
 * false and neither is true; white space at its end is dropped.
 */
public final class Glm45 extends FormatReasoningParserProvider {
    private static final ReasoningFormat FORMAT = new ReasoningFormat(
                    "<think>",
                    "</think>",
                    false,
                    Map.of("thinking", false, "enable_thinking", false),
                    List.of("<|system|>", "<|user|>", "<|assistant|>", "<|observation|>"))
            .onWhen(Map.of("thinking", true, "enable_thinking", true))
            .trimming();

    /** For the service loader. */
    public Glm45() {
        super("glm45", Set.of("glm47"), FORMAT);
    }
}
