package io.glyphgate.jinja.syntax;

import java.util.List;
import java.util.Optional;

/**
 * A parameter of a macro.
 *
 * @param name its name
 * @param preset its value if the call gives none
 */
public record Parameter(String name, Optional<Expression> preset) implements Node {
    @Override
    public List<Node> children() {
        return List.of();
    }
}
