package io.glyphgate.jinja.syntax;

import io.glyphgate.jinja.value.Arithmetic;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** An expression. */
public sealed interface Expression extends Node {
    /** Where it stands in the source. */
    Span span();

    /** A constant. */
    record Literal(Object value, Span span) implements Expression {
        @Override
        public List<Node> children() {
            return List.of();
        }
    }

    /** A name that is read. */
    record Name(String name, Span span) implements Expression {
        @Override
        public List<Node> children() {
            return List.of();
        }
    }

    /** {@code [a, b]}. */
    record ListLiteral(List<Expression> items, Span span) implements Expression {
        @Override
        public List<Node> children() {
            return List.copyOf(items);
        }
    }

    /** {@code (a, b)}. */
    record TupleLiteral(List<Expression> items, Span span) implements Expression {
        @Override
        public List<Node> children() {
            return List.copyOf(items);
        }
    }

    /** {@code {a: b}}: a list of keys, and one of values of the same length. */
    record DictLiteral(List<Expression> keys, List<Expression> values, Span span) implements Expression {
        @Override
        public List<Node> children() {
            List<Node> children = new ArrayList<>();
            for (int i = 0; i < keys.size(); i++) {
                children.add(keys.get(i));
                children.add(values.get(i));
            }
            return children;
        }
    }

    /** {@code -a} or {@code +a}. */
    record Sign(boolean negative, Expression operand, Span span) implements Expression {
        @Override
        public List<Node> children() {
            return List.of(operand);
        }
    }

    /** {@code not a}. */
    record Not(Expression operand, Span span) implements Expression {
        @Override
        public List<Node> children() {
            return List.of(operand);
        }
    }

    /** {@code a and b}, or {@code a or b}. */
    record Logical(boolean and, Expression left, Expression right, Span span) implements Expression {
        @Override
        public List<Node> children() {
            return List.of(left, right);
        }
    }

    /** {@code a + b} and its like. */
    record Binary(Arithmetic.Operator operator, Expression left, Expression right, Span span) implements Expression {
        @Override
        public List<Node> children() {
            return List.of(left, right);
        }
    }

    /** {@code a ~ b}. */
    record Concatenation(List<Expression> parts, Span span) implements Expression {
        @Override
        public List<Node> children() {
            return List.copyOf(parts);
        }
    }

    /** How two values are compared. */
    enum Comparator {
        /** {@code ==}. */
        EQUAL,
        /** {@code !=}. */
        NOT_EQUAL,
        /** {@code <}. */
        LESS,
        /** {@code <=}. */
        LESS_OR_EQUAL,
        /** {@code >}. */
        GREATER,
        /** {@code >=}. */
        GREATER_OR_EQUAL,
        /** {@code in}. */
        IN,
        /** {@code not in}. */
        NOT_IN
    }

    /** {@code a < b < c}: the operators, one fewer than the operands. */
    record Comparison(List<Comparator> comparators, List<Expression> operands, Span span) implements Expression {
        @Override
        public List<Node> children() {
            return List.copyOf(operands);
        }
    }

    /** {@code a if test else b}. */
    record Conditional(Expression test, Expression then, Optional<Expression> otherwise, Span span)
            implements Expression {
        @Override
        public List<Node> children() {
            List<Node> children = new ArrayList<>(List.of(test, then));
            otherwise.ifPresent(children::add);
            return children;
        }
    }

    /** {@code a.name}. */
    record Attribute(Expression object, String name, Span span) implements Expression {
        @Override
        public List<Node> children() {
            return List.of(object);
        }
    }

    /** {@code a[key]}. */
    record Item(Expression object, Expression key, Span span) implements Expression {
        @Override
        public List<Node> children() {
            return List.of(object, key);
        }
    }

    /** {@code a[start:stop:step]}; what is left out is the constant None. */
    record Slice(Expression object, Expression start, Expression stop, Expression step, Span span)
            implements Expression {
        @Override
        public List<Node> children() {
            return List.of(object, start, stop, step);
        }
    }

    /** {@code a(...)}. */
    record Call(Expression callee, CallArguments arguments, Span span) implements Expression {
        @Override
        public List<Node> children() {
            return arguments.after(Optional.of(callee));
        }
    }

    /** {@code a | name(...)}; without a subject it works on the text of a block. */
    record Filter(Optional<Expression> subject, String name, CallArguments arguments, Span span)
            implements Expression {
        @Override
        public List<Node> children() {
            return arguments.after(subject);
        }
    }

    /** {@code a is name(...)}. */
    record Test(Expression subject, String name, CallArguments arguments, Span span) implements Expression {
        @Override
        public List<Node> children() {
            return arguments.after(Optional.of(subject));
        }
    }
}
