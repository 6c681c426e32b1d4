package io.glyphgate.plugin.reasoningparsers;

import io.glyphgate.toolkit.FormatReasoningParserProvider;
import io.glyphgate.toolkit.ReasoningFormat;
import java.util.List;
import java.util.Map;

/**
 * ERNIE 4.5: reasoning from the start of the output, always, and the answer perhaps in a tag of its own. The markers are
 * special tokens, so one that marks nothing is dropped.
 */
public final class Ernie45 extends FormatReasoningParserProvider {
    private static final ReasoningFormat FORMAT = new ReasoningFormat(
                    "<think>",
                    "</think>",
                    false,
                    Map.of(),
                    List.of(
                            "<s>",
                            "</s>",
                            "<|im_start|>",
                            "<|im_end|>",
                            "<|begin_of_sentence|>",
                            "<|end_of_sentence|>"))
            .answering("<response>", "</response>");

    /** For the service loader. */
    public Ernie45() {
        super("ernie45", FORMAT);
    }

    @Override
    public boolean stopsInMarkers() {
        return false;
    }
}
