package io.glyphgate.proxy.choice;

import io.glyphgate.proxy.plugin.PluginKind;
import io.glyphgate.spi.ParserProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The markers of parsers that have no place in content, made ready for finding them, once for all choices. Immutable.
 *
 * <p>Some markers are plain words or signs, such as {@code ]} or a sentence that opens reasoning; content may hold them. Those
 * count that look like markup: at least four characters, the first of them {@code <} or {@code [}. Parsers that {@linkplain
 * ParserProvider#showsMarkers show} theirs have none here.
 */
final class ContentMarkers {
    private static final int SHORTEST = 4;

    /** A parser, with its kind. */
    record Owner(PluginKind kind, ParserProvider parser) {}

    private final StopAutomaton automaton;
    /** Whose each marker is. */
    private final List<Owner> owners = new ArrayList<>();

    private ContentMarkers(List<Owner> parsers) {
        List<String> markers = new ArrayList<>();
        for (Owner owner : parsers) {
            for (String marker : owner.parser().showsMarkers() ? Set.<String>of() : owner.parser().markers()) {
                String bare = marker.strip();
                if (bare.length() >= SHORTEST && (bare.charAt(0) == '<' || bare.charAt(0) == '[')) {
                    markers.add(bare);
                    owners.add(owner);
                }
            }
        }
        automaton = new StopAutomaton(markers);
    }

    /** The markers of the parsers that run, where tool parsers do or do not. */
    static ContentMarkers of(OutputPlan.Parsers parsers, boolean withTools) {
        ParserProvider combined = parsers.combined();
        if (combined != null) {
            return new ContentMarkers(List.of(new Owner(PluginKind.PARSER, combined)));
        }
        ParserProvider reasoning = parsers.reasoning();
        ParserProvider tools = parsers.tools();
        return new ContentMarkers(Stream.of(
                        reasoning == null ? null : new Owner(PluginKind.REASONING_PARSER, reasoning),
                        tools == null || !withTools ? null : new Owner(PluginKind.TOOL_PARSER, tools))
                .filter(Objects::nonNull)
                .toList());
    }

    /** The state before any content. */
    int start() {
        return StopAutomaton.START;
    }

    /** The state after one more character. */
    int next(int state, char c) {
        return automaton.next(state, c);
    }

    /** Whether the content ends with a marker in a state. */
    boolean isMarker(int state) {
        return automaton.match(state) >= 0;
    }

    /** Whose marker the content ends with. */
    Owner owner(int state) {
        return owners.get(automaton.match(state));
    }
}
