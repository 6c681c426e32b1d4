package io.glyphgate.jinja.syntax;

import java.util.List;
import java.util.stream.Stream;

/** Looks through a syntax tree. */
public final class Walk {
    private Walk() {}

    /** All nodes of a type below some nodes and themselves, each before those below it. */
    public static <T extends Node> Stream<T> all(Class<T> type, List<? extends Node> nodes) {
        return nodes.stream().flatMap(Walk::withThoseBelow).filter(type::isInstance).map(type::cast);
    }

    private static Stream<Node> withThoseBelow(Node node) {
        return Stream.concat(Stream.of(node), node.children().stream().flatMap(Walk::withThoseBelow));
    }
}
