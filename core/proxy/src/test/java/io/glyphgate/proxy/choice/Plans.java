package io.glyphgate.proxy.choice;

import io.glyphgate.proxy.wire.ParseRequest;
import io.glyphgate.spi.OutputModeProvider.Need;
import io.glyphgate.spi.Tool;
import io.glyphgate.spi.ToolChoice;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Plans over recorded text, for tests. */
final class Plans {
    static final Tool TOOL = Tool.of("weather", Map.of());

    private Plans() {}

    static OutputPlan text(List<String> pieces, StopStrings stop) {
        return plan(Set.of(Need.TEXT), pieces, OutputPlan.Parsers.NONE, stop, false, ParseRequest.DEFAULT);
    }

    static OutputPlan message(List<String> pieces, OutputPlan.Parsers parsers, ParseRequest request) {
        return plan(Set.of(Need.MESSAGE), pieces, parsers, StopStrings.NONE, false, request);
    }

    static OutputPlan plan(
            Set<Need> needs,
            List<String> pieces,
            OutputPlan.Parsers parsers,
            StopStrings stop,
            boolean includeStop,
            ParseRequest request) {
        return new OutputPlan(
                "m", needs, new RecordedText(pieces, ""), parsers, new int[0], true, true, stop, includeStop, request);
    }

    static ParseRequest request(ToolChoice choice, boolean parallel, boolean reasoning) {
        return new ParseRequest(List.of(TOOL), choice, parallel, reasoning, Map.of(), 0);
    }
}
