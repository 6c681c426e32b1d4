package io.glyphgate.jinja.syntax;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The arguments of a call.
 *
 * @param positional by place
 * @param keywords by name
 * @param spread {@code *list}
 * @param spreadKeywords {@code **dict}
 */
public record CallArguments(
        List<Expression> positional,
        List<Keyword> keywords,
        Optional<Expression> spread,
        Optional<Expression> spreadKeywords) {
    /** An argument with a name. */
    public record Keyword(String name, Expression value) {}

    /** No arguments. */
    static final CallArguments NONE = new CallArguments(List.of(), List.of(), Optional.empty(), Optional.empty());

    List<Node> after(Optional<Expression> first) {
        List<Node> nodes = new ArrayList<>(positional.size() + keywords.size() + 1);
        first.ifPresent(nodes::add);
        nodes.addAll(positional);
        keywords.forEach(keyword -> nodes.add(keyword.value()));
        spread.ifPresent(nodes::add);
        spreadKeywords.ifPresent(nodes::add);
        return nodes;
    }
}
