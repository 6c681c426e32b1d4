package io.glyphgate.plugin.reasoningparsers;

import io.glyphgate.spi.ParseContext;
import io.glyphgate.spi.ReasoningParser;
import io.glyphgate.toolkit.FormatReasoningParserProvider;
import io.glyphgate.toolkit.OpenedReasoningFormat;
import io.glyphgate.toolkit.ReasoningFormat;
import java.util.List;
import java.util.Optional;

/**
 * Magistral and other models of Mistral: reasoning between two markers, anywhere before the calls. The vocabulary tells
 * the markers: {@code [THINK]} where it is a token; {@code <think>} in vocabularies of version 11, which have {@code
 * [ARGS]}; none before.
 */
public final class Mistral extends FormatReasoningParserProvider {
    private static final OpenedReasoningFormat FORMAT = between("[THINK]", "[/THINK]");
    private static final OpenedReasoningFormat VERSION_11 = between("<think>", "</think>");

    /** For the service loader. */
    public Mistral() {
        super("mistral", FORMAT);
    }

    private static OpenedReasoningFormat between(String open, String close) {
        return new OpenedReasoningFormat(
                List.of(open),
                List.of(close),
                false,
                "",
                false,
                List.of(close),
                true,
                List.of(),
                false,
                true,
                "",
                Optional.empty());
    }

    @Override
    public ReasoningParser create(ParseContext context) {
        if (knows(context, "[THINK]")) {
            return FORMAT.parser(context);
        }
        return knows(context, "[ARGS]") ? VERSION_11.parser(context) : ReasoningFormat.none();
    }

    /** Whether a token is in the vocabulary, or may be, where that is not known. */
    private static boolean knows(ParseContext context, String token) {
        return context.tokenizer()
                .map(tokenizer -> tokenizer.tokenId(token).isPresent())
                .orElse(true);
    }
}
