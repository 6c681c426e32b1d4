package io.glyphgate.plugin.reasoningparsers;

import io.glyphgate.toolkit.FormatReasoningParserProvider;
import io.glyphgate.toolkit.ReasoningFormat;
import java.util.List;
import java.util.Map;

/** Seed-OSS: as {@link Qwen3} with markers of its own. */
public final class SeedOss extends FormatReasoningParserProvider {
    private static final ReasoningFormat FORMAT = new ReasoningFormat(
            "<seed:think>",
            "</seed:think>",
            false,
            Map.of("enable_thinking", false),
            List.of("<seed:bos>", "<seed:eos>"));

    /** For the service loader. */
    public SeedOss() {
        super("seed_oss", FORMAT);
    }
}
