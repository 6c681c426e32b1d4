package io.glyphgate.plugin.harmony;

import io.glyphgate.spi.CombinedParser;
import io.glyphgate.spi.CombinedParserProvider;
import io.glyphgate.spi.ParseContext;
import io.glyphgate.toolkit.ChannelFormat;
import java.util.List;
import java.util.Set;

/**
 * gpt-oss: messages in the channels {@code analysis}, {@code commentary} and {@code final}. One parser for what vLLM calls
 * the reasoning parser {@code openai_gptoss} and the tool parser {@code openai}.
 */
public final class Harmony implements CombinedParserProvider {
    private static final ChannelFormat FORMAT = new ChannelFormat(
            "<|start|>",
            "assistant",
            "<|channel|>",
            "<|constrain|>",
            "<|message|>",
            List.of("<|end|>", "<|call|>", "<|return|>"),
            "to=",
            "functions.",
            Set.of("analysis"),
            Set.of("final", "commentary"));
    private static final ChannelFormat.Compiled MESSAGES = FORMAT.compile();

    /** For the service loader. */
    public Harmony() {}

    @Override
    public String name() {
        return "openai";
    }

    @Override
    public Set<String> aliases() {
        return Set.of("openai_gptoss");
    }

    @Override
    public Set<String> markers() {
        return FORMAT.markers();
    }

    @Override
    public CombinedParser create(ParseContext context) {
        return MESSAGES.parser(context);
    }
}
