package io.glyphgate.jinja.syntax;

import java.util.List;

/** A node of the syntax tree. */
public sealed interface Node permits Expression, Statement, Target, Parameter {
    /** The nodes right below it, in the order in which Jinja looks at them. */
    List<Node> children();
}
