package io.glyphgate.jinja.syntax;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A statement. */
public sealed interface Statement extends Node {
    /** Text outside of tags. */
    record Text(String text) implements Statement {
        @Override
        public List<Node> children() {
            return List.of();
        }
    }

    /** {@code {{ value }}}. */
    record Print(Expression value) implements Statement {
        @Override
        public List<Node> children() {
            return List.of(value);
        }
    }

    /** {@code {% if %}}, with its {@code elif} branches. */
    record If(List<Branch> branches, List<Statement> otherwise) implements Statement {
        @Override
        public List<Node> children() {
            List<Node> children = new ArrayList<>();
            for (Branch branch : branches) {
                children.add(branch.test());
                children.addAll(branch.body());
            }
            children.addAll(otherwise);
            return children;
        }
    }

    /** A condition and what happens under it. */
    record Branch(Expression test, List<Statement> body) {}

    /** {@code {% for %}}. */
    record For(
            Target target,
            Expression items,
            Optional<Expression> test,
            boolean recursive,
            List<Statement> body,
            List<Statement> otherwise,
            Span span)
            implements Statement {
        @Override
        public List<Node> children() {
            List<Node> children = new ArrayList<>();
            children.add(target);
            children.add(items);
            children.addAll(body);
            children.addAll(otherwise);
            test.ifPresent(children::add);
            return children;
        }
    }

    /** {@code {% set a = b %}}. */
    record Assign(Target target, Expression value, Span span) implements Statement {
        @Override
        public List<Node> children() {
            return List.of(target, value);
        }
    }

    /** {@code {% set a %}...{% endset %}}. */
    record AssignBlock(Target target, Optional<Expression.Filter> filter, List<Statement> body, Span span)
            implements Statement {
        @Override
        public List<Node> children() {
            List<Node> children = new ArrayList<>();
            children.add(target);
            filter.ifPresent(children::add);
            children.addAll(body);
            return children;
        }
    }

    /** {@code {% macro %}}. */
    record Macro(String name, List<Parameter> parameters, List<Statement> body, Span span) implements Statement {
        @Override
        public List<Node> children() {
            return withParameters(parameters, body);
        }
    }

    /** {@code {% call %}}. */
    record CallBlock(Expression.Call call, List<Parameter> parameters, List<Statement> body, Span span)
            implements Statement {
        @Override
        public List<Node> children() {
            List<Node> children = new ArrayList<>();
            children.add(call);
            children.addAll(withParameters(parameters, body));
            return children;
        }
    }

    /** A body that is only a scope of its own: {@code {% generation %}}, which marks what the assistant writes. */
    record Scoped(List<Statement> body) implements Statement {
        @Override
        public List<Node> children() {
            return List.copyOf(body);
        }
    }

    /** {@code {% filter %}}. */
    record FilterBlock(Expression.Filter filter, List<Statement> body, Span span) implements Statement {
        @Override
        public List<Node> children() {
            List<Node> children = new ArrayList<>(body);
            children.add(filter);
            return children;
        }
    }

    /** {@code {% with %}}. */
    record With(List<Target> targets, List<Expression> values, List<Statement> body) implements Statement {
        @Override
        public List<Node> children() {
            List<Node> children = new ArrayList<>(targets);
            children.addAll(values);
            children.addAll(body);
            return children;
        }
    }

    /** {@code {% block %}}, which without inheritance is only a scope of its own. */
    record Block(String name, boolean scoped, List<Statement> body, Span span) implements Statement {
        @Override
        public List<Node> children() {
            return List.copyOf(body);
        }
    }

    /** {@code {% break %}}. */
    record Break() implements Statement {
        @Override
        public List<Node> children() {
            return List.of();
        }
    }

    /** {@code {% continue %}}. */
    record Continue() implements Statement {
        @Override
        public List<Node> children() {
            return List.of();
        }
    }

    /** A tag that wants another template, which a chat template never has: it fails when it is reached. */
    record Load(Expression template, List<Target.Variable> names, Span span) implements Statement {
        @Override
        public List<Node> children() {
            List<Node> children = new ArrayList<>();
            children.add(template);
            children.addAll(names);
            return children;
        }
    }

    private static List<Node> withParameters(List<Parameter> parameters, List<Statement> body) {
        List<Node> children = new ArrayList<>(parameters);
        parameters.forEach(parameter -> parameter.preset().ifPresent(children::add));
        children.addAll(body);
        return children;
    }
}
