package io.glyphgate.jinja.syntax;

import java.util.List;

/** What a value is assigned to. */
public sealed interface Target extends Node {
    /** A name. */
    record Variable(String name, Span span) implements Target {
        @Override
        public List<Node> children() {
            return List.of();
        }
    }

    /** An attribute of a namespace. */
    record Member(String namespace, String name, Span span) implements Target {
        @Override
        public List<Node> children() {
            return List.of();
        }
    }

    /** Several targets, for a value with as many items. */
    record Several(List<Target> targets, Span span) implements Target {
        @Override
        public List<Node> children() {
            return List.copyOf(targets);
        }
    }

    /** Where it stands in the source. */
    Span span();
}
