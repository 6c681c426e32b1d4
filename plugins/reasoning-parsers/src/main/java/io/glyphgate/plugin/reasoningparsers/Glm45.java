package io.glyphgate.plugin.reasoningparsers;

import io.glyphgate.spi.ParseContext;
import io.glyphgate.spi.ReasoningParser;
import io.glyphgate.spi.ReasoningParserProvider;
import io.glyphgate.toolkit.ReasoningFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * GLM-4.5 and later: reasoning from the start of the output, unless {@code thinking} or {@code enable_thinking} is
 * false and neither is true; white space at its end is dropped.
 */
public final class Glm45 implements ReasoningParserProvider {
    private static final ReasoningFormat FORMAT = new ReasoningFormat(
                    "<think>",
                    "</think>",
                    false,
                    Map.of("thinking", false, "enable_thinking", false),
                    List.of("<|system|>", "<|user|>", "<|assistant|>", "<|observation|>"))
            .onWhen(Map.of("thinking", true, "enable_thinking", true))
            .trimming();

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
    public ReasoningParser create(ParseContext context) {
        return FORMAT.parser(context);
    }
}
