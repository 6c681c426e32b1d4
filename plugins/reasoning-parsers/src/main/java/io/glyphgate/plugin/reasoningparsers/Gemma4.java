package io.glyphgate.plugin.reasoningparsers;

import io.glyphgate.toolkit.FormatReasoningParserProvider;
import io.glyphgate.toolkit.OpenedReasoningFormat;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Gemma 4: reasoning is a channel, which may open anywhere. */
public final class Gemma4 extends FormatReasoningParserProvider {
    private static final OpenedReasoningFormat FORMAT = new OpenedReasoningFormat(
            List.of("<|channel>"),
            List.of("<channel|>"),
            false,
            "thought\n",
            List.of("<channel|>", "<turn|>"),
            true,
            List.of("<|turn>", "<turn|>"));

    /** The markers of calls too: without a tool parser they are content, as in vLLM. */
    private static final Set<String> MARKERS = Stream.concat(
                    FORMAT.markers().stream(), Stream.of("<|tool_call>", "<tool_call|>", "<|\"|>"))
            .collect(Collectors.toUnmodifiableSet());

    /** For the service loader. */
    public Gemma4() {
        super("gemma4", FORMAT);
    }

    @Override
    public Set<String> markers() {
        return MARKERS;
    }
}
