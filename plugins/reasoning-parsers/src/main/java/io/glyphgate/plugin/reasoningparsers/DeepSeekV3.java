package io.glyphgate.plugin.reasoningparsers;

import io.glyphgate.spi.ParseContext;
import io.glyphgate.spi.ReasoningParser;
import io.glyphgate.spi.ReasoningParserProvider;
import io.glyphgate.toolkit.ReasoningFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** DeepSeek V3: as DeepSeek-R1 if {@code thinking} or {@code enable_thinking} is true; else all output is content. */
public final class DeepSeekV3 implements ReasoningParserProvider {
    private static final ReasoningFormat FORMAT = new ReasoningFormat(
            "<think>", "</think>", true, Map.of(), List.of("<｜User｜>", "<｜Assistant｜>", "<｜end▁of▁sentence｜>"));

    private static final List<String> KEYS = List.of("thinking", "enable_thinking");

    /** For the service loader. */
    public DeepSeekV3() {}

    @Override
    public String name() {
        return "deepseek_v3";
    }

    @Override
    public Set<String> markers() {
        return FORMAT.markers();
    }

    @Override
    public ReasoningParser create(ParseContext context) {
        boolean thinks = KEYS.stream()
                .anyMatch(key -> Boolean.TRUE.equals(context.chatTemplateArguments().get(key)));
        return thinks ? FORMAT.parser(context) : ReasoningFormat.none();
    }
}
