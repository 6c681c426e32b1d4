package io.glyphgate.plugin.harmony;

import io.glyphgate.toolkit.ChannelFormat;
import io.glyphgate.toolkit.FormatCombinedParserProvider;
import java.util.List;
import java.util.Set;

/**
 * gpt-oss: messages in the channels {@code analysis}, {@code commentary} and {@code final}. One parser for what vLLM calls
 * the reasoning parser {@code openai_gptoss} and the tool parser {@code openai}.
 */
public final class Harmony extends FormatCombinedParserProvider {
    private static final ChannelFormat FORMAT = new ChannelFormat(
            "<|start|>",
            "assistant",
            "<|channel|>",
            "<|constrain|>",
            "<|message|>",
            List.of("<|end|>", "<|call|>", "<|return|>"),
            "to=",
            "functions.",
            Set.of("python", "browser", "container"),
            Set.of("analysis"),
            Set.of("final", "commentary"));

    /** For the service loader. */
    public Harmony() {
        super("openai", Set.of("openai_gptoss"), FORMAT);
    }
}
