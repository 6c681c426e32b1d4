package io.glyphgate.proxy.choice;

import io.glyphgate.proxy.plugin.PluginKind;
import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.ParserProvider;
import io.glyphgate.spi.Tool;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Looks at what the parsers of one choice give out, the same for every family: markers in the content, functions that nobody
 * offers, arguments that are no JSON or not what the schema allows. Changes nothing, keeps nothing of the output, and does a
 * constant amount of work per character.
 */
final class OutputWatch {
    private final Anomalies anomalies;
    private final ContentMarkers markers;
    private final List<Tool> tools;
    private final ArgumentsCheck arguments = new ArgumentsCheck();

    private int markerState;
    /** The parser whose call is open; null before the first. */
    private @Nullable ParserProvider caller;

    private PluginKind callerKind = PluginKind.TOOL_PARSER;

    OutputWatch(OutputPlan plan, Anomalies anomalies) {
        this.anomalies = anomalies;
        this.markers = plan.parsers().contentMarkers(plan.wantsCalls());
        this.tools = plan.parse().tools();
        this.markerState = markers.start();
    }

    /** Takes content that goes to the client. */
    void content(CharSequence text) {
        for (int i = 0; i < text.length(); i++) {
            markerState = markers.next(markerState, text.charAt(i));
            if (markers.isMarker(markerState)) {
                ContentMarkers.Owner owner = markers.owner(markerState);
                anomalies.add(owner.kind(), owner.parser(), HostAnomaly.MARKER_IN_CONTENT);
            }
        }
    }

    /** A parser opened a call. */
    void call(PluginKind kind, ParserProvider parser, String name) {
        callEnded(true);
        caller = parser;
        callerKind = kind;
        Tool tool = null;
        for (int i = 0; i < tools.size() && tool == null; i++) {
            tool = tools.get(i).name().equals(name) ? tools.get(i) : null;
        }
        if (tool == null) {
            anomalies.add(kind, parser, HostAnomaly.UNKNOWN_FUNCTION);
        }
        arguments.begin(tool == null ? null : new ArgumentsSchema(tool.parameters()));
    }

    /** Takes the next piece of the arguments of the open call. */
    void arguments(CharSequence json) {
        arguments.take(json);
    }

    /** The output has ended. */
    void finished(FinishReason reason) {
        callEnded(reason == FinishReason.STOP);
    }

    /** A call ended; arguments that were cut off with the output are the limit's doing, not the model's. */
    private void callEnded(boolean byModel) {
        if (caller == null) {
            return;
        }
        arguments.end();
        if (arguments.malformed() || (byModel && !arguments.complete())) {
            anomalies.add(callerKind, caller, HostAnomaly.ARGUMENTS_NOT_JSON);
        }
        if (arguments.offSchema()) {
            anomalies.add(callerKind, caller, HostAnomaly.ARGUMENTS_OFF_SCHEMA);
        }
    }

    /** A parser told of an anomaly. */
    void told(PluginKind kind, ParserProvider parser, String anomaly) {
        anomalies.add(kind, parser, anomaly);
    }

    /** The host found one in what a parser did. */
    void found(PluginKind kind, ParserProvider parser, HostAnomaly anomaly) {
        anomalies.add(kind, parser, anomaly);
    }
}
