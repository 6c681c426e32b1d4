package io.glyphgate.jinja.syntax;

import io.glyphgate.jinja.syntax.Expression.Attribute;
import io.glyphgate.jinja.syntax.Expression.Call;
import io.glyphgate.jinja.syntax.Expression.Filter;
import io.glyphgate.jinja.syntax.Expression.Item;
import io.glyphgate.jinja.syntax.Expression.Literal;
import io.glyphgate.jinja.syntax.Expression.Name;
import io.glyphgate.jinja.syntax.Expression.Slice;
import io.glyphgate.jinja.syntax.Expression.Test;
import io.glyphgate.jinja.syntax.Statement.Assign;
import io.glyphgate.jinja.syntax.Statement.For;
import io.glyphgate.jinja.syntax.Statement.Macro;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Whether a template takes a message's content as a list of parts: whether it loops over the content of the items of {@code
 * messages}. Source: the detection behind vLLM's {@code --chat-template-content-format auto}, which goes by names only and
 * takes a template that unpacks such an item for one that does not.
 */
public final class ContentParts {
    private static final String CONTENT = "content";

    private final List<Statement> template;
    private final List<For> loops;

    private ContentParts(List<Statement> template) {
        this.template = template;
        this.loops = Walk.all(For.class, template).toList();
    }

    /** Whether a template loops over the parts of a content. */
    public static boolean areWalkedBy(List<Statement> template) {
        ContentParts search = new ContentParts(template);
        Set<String> messageLists = search.aliases("messages");
        List<For> overMessages = search.loops.stream()
                .filter(loop -> messageLists.stream().anyMatch(name -> isValueOf(loop.items(), name)))
                .toList();
        return !unpacks(overMessages) && search.walks(namesOf(overMessages));
    }

    private boolean walks(List<String> messages) {
        Map<Span, Set<String>> parameters = new HashMap<>();
        for (Macro macro : Walk.all(Macro.class, template).toList()) {
            Set<String> given = contentParameters(macro, messages);
            Walk.all(For.class, macro.body()).forEach(loop -> parameters.put(loop.span(), given));
        }
        return loops.stream()
                .filter(loop -> isContent(loop.items(), messages)
                        || (loop.items() instanceof Name name
                                && parameters.getOrDefault(loop.span(), Set.of(CONTENT)).contains(name.name())))
                .findFirst()
                .filter(loop -> !unpacks(List.of(loop)))
                .isPresent();
    }

    /** The parameters of a macro that get the content of a message somewhere. */
    private Set<String> contentParameters(Macro macro, List<String> messages) {
        Set<String> given = new HashSet<>();
        List<String> names = macro.parameters().stream().map(Parameter::name).toList();
        for (Call call : Walk.all(Call.class, template).toList()) {
            if (!(call.callee() instanceof Name callee && callee.name().equals(macro.name()))) {
                continue;
            }
            List<Expression> positional = call.arguments().positional();
            for (int i = 0; i < Math.min(positional.size(), names.size()); i++) {
                if (isContent(positional.get(i), messages)) {
                    given.add(names.get(i));
                }
            }
            for (CallArguments.Keyword keyword : call.arguments().keywords()) {
                if (names.contains(keyword.name()) && isContent(keyword.value(), messages)) {
                    given.add(keyword.name());
                }
            }
        }
        return given;
    }

    /** The names that a variable goes by: those it is assigned to, attributes of namespaces included. */
    private Set<String> aliases(String variable) {
        Set<String> names = new LinkedHashSet<>(Set.of(variable));
        Deque<String> open = new ArrayDeque<>(names);
        while (!open.isEmpty()) {
            String name = open.removeFirst();
            Walk.all(Assign.class, template).forEach(assign -> {
                for (String alias : aliases(assign, name)) {
                    if (names.add(alias)) {
                        open.add(alias);
                    }
                }
            });
        }
        return names;
    }

    private static List<String> aliases(Assign assign, String name) {
        List<String> aliases = new ArrayList<>();
        switch (assign.target()) {
            case Target.Variable target -> {
                if (isValueOf(assign.value(), name)) {
                    aliases.add(target.name());
                }
                if (assign.value() instanceof Call call
                        && call.callee() instanceof Name callee
                        && callee.name().equals("namespace")) {
                    call.arguments().keywords().stream()
                            .filter(keyword -> isValueOf(keyword.value(), name))
                            .forEach(keyword -> aliases.add(target.name() + "." + keyword.name()));
                }
            }
            case Target.Member target -> {
                if (isValueOf(assign.value(), name)) {
                    aliases.add(target.namespace() + "." + target.name());
                }
            }
            case Target.Several several -> {}
        }
        return aliases;
    }

    private static boolean unpacks(List<For> loops) {
        return loops.stream().anyMatch(loop -> !(loop.target() instanceof Target.Variable));
    }

    private static List<String> namesOf(List<For> loops) {
        return loops.stream().map(loop -> ((Target.Variable) loop.target()).name()).toList();
    }

    private static boolean isContent(Expression expression, List<String> messages) {
        return messages.stream().anyMatch(name -> isContentOf(expression, name));
    }

    private static boolean isContentOf(Expression expression, String message) {
        return switch (bare(expression)) {
            case Attribute attribute -> attribute.name().equals(CONTENT) && isVariable(attribute.object(), message);
            case Item item -> item.key() instanceof Literal key
                    && key.value().equals(CONTENT)
                    && isVariable(item.object(), message);
            default -> false;
        };
    }

    private static boolean isValueOf(Expression expression, String name) {
        return isVariable(bare(expression), name);
    }

    /** An expression without the filters, tests and slices around it. */
    private static Expression bare(Expression expression) {
        return switch (expression) {
            case Filter filter when filter.subject().isPresent() -> bare(filter.subject().get());
            case Test test -> bare(test.subject());
            case Slice slice -> bare(slice.object());
            default -> expression;
        };
    }

    private static boolean isVariable(Expression expression, String name) {
        int dot = name.lastIndexOf('.');
        return switch (expression) {
            case Name variable -> variable.name().equals(name);
            case Attribute attribute -> dot >= 0
                    && attribute.name().equals(name.substring(dot + 1))
                    && isVariable(attribute.object(), name.substring(0, dot));
            default -> false;
        };
    }
}
