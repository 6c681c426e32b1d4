package io.glyphgate.jinja.syntax;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Looks through a syntax tree. */
public final class Walk {
    private Walk() {}

    /** All nodes of a type below some nodes and themselves, each before those below it. */
    public static <T extends Node> Stream<T> all(Class<T> type, List<? extends Node> nodes) {
        List<T> found = new ArrayList<>();
        collect(type, nodes, found);
        return found.stream();
    }

    private static <T extends Node> void collect(Class<T> type, List<? extends Node> nodes, List<T> found) {
        for (Node node : nodes) {
            if (type.isInstance(node)) {
                found.add(type.cast(node));
            }
            collect(type, node.children(), found);
        }
    }
}
