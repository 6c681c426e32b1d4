package io.glyphgate.plugin.reasoningparsers;

import io.glyphgate.spi.ParseContext;
import io.glyphgate.spi.ReasoningParser;
import io.glyphgate.toolkit.FormatReasoningParserProvider;
import io.glyphgate.toolkit.ReasoningFormat;
import java.util.List;
import java.util.Map;

/** DeepSeek V3: as DeepSeek-R1 if {@code thinking} or {@code enable_thinking} is true; else all output is content. */
public final class DeepSeekV3 extends FormatReasoningParserProvider {
    private static final ReasoningFormat FORMAT = new ReasoningFormat(
            "<think>", "</think>", true, Map.of(), List.of("<｜User｜>", "<｜Assistant｜>", "<｜end▁of▁sentence｜>"));

    private static final List<String> KEYS = List.of("thinking", "enable_thinking");

    /** For the service loader. */
    public DeepSeekV3() {
        super("deepseek_v3", FORMAT);
    }

    @Override
    public ReasoningParser create(ParseContext context) {
        boolean thinks = KEYS.stream()
                .anyMatch(key -> Boolean.TRUE.equals(context.chatTemplateArguments().get(key)));
        return thinks ? FORMAT.parser(context) : ReasoningFormat.none();
    }
}
