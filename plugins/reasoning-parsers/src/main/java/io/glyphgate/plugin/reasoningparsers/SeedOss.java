package io.glyphgate.plugin.reasoningparsers;

import io.glyphgate.spi.ParseContext;
import io.glyphgate.spi.ReasoningParser;
import io.glyphgate.spi.ReasoningParserProvider;
import io.glyphgate.toolkit.ReasoningFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Seed-OSS: as {@link Qwen3} with markers of its own. */
public final class SeedOss implements ReasoningParserProvider {
    private static final ReasoningFormat FORMAT = new ReasoningFormat(
            "<seed:think>",
            "</seed:think>",
            false,
            Map.of("enable_thinking", false),
            List.of("<seed:bos>", "<seed:eos>"));

    /** For the service loader. */
    public SeedOss() {}

    @Override
    public String name() {
        return "seed_oss";
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
