package io.glyphgate.plugin.reasoningparsers;

import io.glyphgate.spi.ParseContext;
import io.glyphgate.spi.ReasoningParser;
import io.glyphgate.spi.ReasoningParserProvider;
import io.glyphgate.toolkit.OpenedReasoningFormat;
import java.util.List;
import java.util.Set;

/** Granite: reasoning between two phrases, the first of them at the start of the output. */
public final class Granite implements ReasoningParserProvider {
    private static final OpenedReasoningFormat FORMAT = new OpenedReasoningFormat(
            List.of("Here is my thought process:", "Here's my thought process:"),
            List.of("Here is my response:", "Here's my response:"),
            true,
            "",
            List.of(),
            false,
            List.of());

    /** For the service loader. */
    public Granite() {}

    @Override
    public String name() {
        return "granite";
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
