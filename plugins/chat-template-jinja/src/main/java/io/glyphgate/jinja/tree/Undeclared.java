package io.glyphgate.jinja.tree;

import io.glyphgate.jinja.syntax.Expression;
import io.glyphgate.jinja.syntax.Node;
import io.glyphgate.jinja.syntax.Parameter;
import io.glyphgate.jinja.syntax.Statement;
import io.glyphgate.jinja.syntax.Target;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Which of some names with a meaning of their own a body reads before it sets them: {@code loop}, {@code caller}. */
final class Undeclared {
    private final Set<String> wanted;
    private final Set<String> read = new HashSet<>();

    private Undeclared(Set<String> wanted) {
        this.wanted = new HashSet<>(wanted);
    }

    static Set<String> among(Set<String> names, List<Statement> body) {
        Undeclared search = new Undeclared(names);
        body.forEach(search::visit);
        return search.read;
    }

    private void visit(Node node) {
        switch (node) {
            case Expression.Name name -> {
                if (wanted.contains(name.name())) {
                    read.add(name.name());
                }
            }
            case Target.Variable variable -> wanted.remove(variable.name());
            case Parameter parameter -> wanted.remove(parameter.name());
            case Statement.Block block -> {}
            default -> node.children().forEach(this::visit);
        }
    }
}
