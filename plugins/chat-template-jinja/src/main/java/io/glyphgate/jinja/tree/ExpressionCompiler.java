package io.glyphgate.jinja.tree;

import io.glyphgate.jinja.TemplateException;
import io.glyphgate.jinja.builtin.Access;
import io.glyphgate.jinja.builtin.Filters;
import io.glyphgate.jinja.builtin.Tests;
import io.glyphgate.jinja.syntax.CallArguments;
import io.glyphgate.jinja.syntax.Expression;
import io.glyphgate.jinja.syntax.Expression.Comparator;
import io.glyphgate.jinja.syntax.Source;
import io.glyphgate.jinja.syntax.Span;
import io.glyphgate.jinja.value.Arithmetic;
import io.glyphgate.jinja.value.Dict;
import io.glyphgate.jinja.value.Equality;
import io.glyphgate.jinja.value.Function;
import io.glyphgate.jinja.value.Iterating;
import io.glyphgate.jinja.value.Ordering;
import io.glyphgate.jinja.value.Subscripts;
import io.glyphgate.jinja.value.Text;
import io.glyphgate.jinja.value.Truth;
import io.glyphgate.jinja.value.Tuple;
import io.glyphgate.jinja.value.Types;
import io.glyphgate.jinja.value.Undefined;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Compiles expressions. */
final class ExpressionCompiler {
    private final Source source;

    ExpressionCompiler(Source source) {
        this.source = source;
    }

    /**
     * Compiles an expression.
     *
     * @param lenient whether a filter or test that does not exist is a failure only when it is reached
     */
    Evaluation compile(Expression expression, Scope scope, boolean lenient) {
        return switch (expression) {
            case Expression.Literal literal -> {
                Object value = literal.value();
                yield frame -> value;
            }
            case Expression.Name name -> name(name.name(), scope);
            case Expression.Not not -> {
                Evaluation operand = compile(not.operand(), scope, lenient);
                yield frame -> !Truth.of(operand.in(frame));
            }
            case Expression.Logical logical -> logical(logical, scope, lenient);
            case Expression.Conditional conditional -> conditional(conditional, scope);
            case Expression.ListLiteral list -> {
                Evaluation[] items = all(list.items(), scope, lenient);
                yield frame -> values(items, frame);
            }
            case Expression.TupleLiteral tuple -> {
                Evaluation[] items = all(tuple.items(), scope, lenient);
                yield frame -> new Tuple(values(items, frame));
            }
            case Expression.DictLiteral dict -> at(dict.span(), dict(dict, scope, lenient));
            case Expression.Sign sign -> at(sign.span(), sign(sign, scope, lenient));
            case Expression.Binary binary -> at(binary.span(), binary(binary, scope, lenient));
            case Expression.Concatenation parts -> at(parts.span(), concatenation(parts, scope, lenient));
            case Expression.Comparison comparison -> at(comparison.span(), comparison(comparison, scope, lenient));
            case Expression.Attribute attribute -> {
                Evaluation object = compile(attribute.object(), scope, lenient);
                String name = attribute.name();
                yield at(attribute.span(), frame -> Access.attribute(object.in(frame), name));
            }
            case Expression.Item item -> {
                Evaluation object = compile(item.object(), scope, lenient);
                Evaluation key = compile(item.key(), scope, lenient);
                yield at(item.span(), frame -> Access.item(object.in(frame), key.in(frame)));
            }
            case Expression.Slice slice -> at(slice.span(), slice(slice, scope, lenient));
            case Expression.Call call -> call(call, scope, lenient, Optional.empty());
            case Expression.Filter filter -> filter(filter, scope, lenient, frame -> {
                throw new IllegalStateException("a filter without a value");
            });
            case Expression.Test test -> {
                Evaluation subject = compile(test.subject(), scope, lenient);
                Function function = function("test", test.name(), Tests.find(test.name()), test.span(), lenient);
                yield apply(function, subject, test.arguments(), scope, lenient, test.span());
            }
        };
    }

    private Evaluation[] all(List<Expression> expressions, Scope scope, boolean lenient) {
        return expressions.stream().map(e -> compile(e, scope, lenient)).toArray(Evaluation[]::new);
    }

    private static List<Object> values(Evaluation[] items, Frame frame) {
        List<Object> values = new ArrayList<>(items.length);
        for (Evaluation item : items) {
            values.add(item.in(frame));
        }
        return values;
    }

    static Evaluation name(String name, Scope scope) {
        Scope.Slot slot = scope.slot(name);
        int hops = scope.layout().depth() - slot.layout().depth();
        int index = slot.index();
        return frame -> {
            Object value = frame.outer(hops).slot(index);
            return value == null ? Undefined.name(name) : value;
        };
    }

    private Evaluation logical(Expression.Logical logical, Scope scope, boolean lenient) {
        Evaluation left = compile(logical.left(), scope, lenient);
        Evaluation right = compile(logical.right(), scope, lenient);
        boolean and = logical.and();
        return frame -> {
            Object value = left.in(frame);
            return Truth.of(value) == and ? right.in(frame) : value;
        };
    }

    private Evaluation conditional(Expression.Conditional conditional, Scope scope) {
        Evaluation test = compile(conditional.test(), scope, true);
        Evaluation then = compile(conditional.then(), scope, true);
        Undefined nothing = Undefined.because("the inline if-expression on line "
                + conditional.span().line() + " evaluated to false and no else section was defined.");
        Evaluation otherwise =
                conditional.otherwise().map(e -> compile(e, scope, true)).orElse(frame -> nothing);
        return frame -> Truth.of(test.in(frame)) ? then.in(frame) : otherwise.in(frame);
    }

    private Evaluation dict(Expression.DictLiteral literal, Scope scope, boolean lenient) {
        Evaluation[] keys = all(literal.keys(), scope, lenient);
        Evaluation[] values = all(literal.values(), scope, lenient);
        return frame -> {
            Dict dict = new Dict();
            for (int i = 0; i < keys.length; i++) {
                Object key = keys[i].in(frame);
                dict.put(key, values[i].in(frame));
            }
            return dict;
        };
    }

    private Evaluation sign(Expression.Sign sign, Scope scope, boolean lenient) {
        Evaluation operand = compile(sign.operand(), scope, lenient);
        return sign.negative()
                ? frame -> Arithmetic.negate(operand.in(frame))
                : frame -> Arithmetic.positive(operand.in(frame));
    }

    private Evaluation binary(Expression.Binary binary, Scope scope, boolean lenient) {
        Evaluation left = compile(binary.left(), scope, lenient);
        Evaluation right = compile(binary.right(), scope, lenient);
        Arithmetic.Operator operator = binary.operator();
        return frame -> {
            Object a = left.in(frame);
            return Arithmetic.apply(operator, a, right.in(frame), frame.budget());
        };
    }

    private Evaluation concatenation(Expression.Concatenation concatenation, Scope scope, boolean lenient) {
        Evaluation[] parts = all(concatenation.parts(), scope, lenient);
        return frame -> {
            List<String> texts = new ArrayList<>(parts.length);
            for (Evaluation part : parts) {
                texts.add(Text.str(part.in(frame), frame.budget()));
            }
            return Text.join("", texts, frame.budget());
        };
    }

    private Evaluation comparison(Expression.Comparison comparison, Scope scope, boolean lenient) {
        Evaluation[] operands = all(comparison.operands(), scope, lenient);
        Comparator[] comparators = comparison.comparators().toArray(Comparator[]::new);
        return frame -> {
            Object left = operands[0].in(frame);
            for (int i = 0; i < comparators.length; i++) {
                Object right = operands[i + 1].in(frame);
                if (!holds(comparators[i], left, right, frame)) {
                    return false;
                }
                left = right;
            }
            return true;
        };
    }

    private static boolean holds(Comparator comparator, Object left, Object right, Frame frame) {
        return switch (comparator) {
            case EQUAL -> Equality.equal(left, right, frame.budget());
            case NOT_EQUAL -> !Equality.equal(left, right, frame.budget());
            case LESS -> Ordering.holds(Ordering.Operator.LESS, left, right, frame.budget());
            case LESS_OR_EQUAL -> Ordering.holds(Ordering.Operator.LESS_OR_EQUAL, left, right, frame.budget());
            case GREATER -> Ordering.holds(Ordering.Operator.GREATER, left, right, frame.budget());
            case GREATER_OR_EQUAL -> Ordering.holds(
                    Ordering.Operator.GREATER_OR_EQUAL, left, right, frame.budget());
            case IN -> Iterating.contains(right, left, frame.budget());
            case NOT_IN -> !Iterating.contains(right, left, frame.budget());
        };
    }

    private Evaluation slice(Expression.Slice slice, Scope scope, boolean lenient) {
        Evaluation object = compile(slice.object(), scope, lenient);
        Evaluation start = compile(slice.start(), scope, lenient);
        Evaluation stop = compile(slice.stop(), scope, lenient);
        Evaluation step = compile(slice.step(), scope, lenient);
        return frame -> Subscripts.slice(
                object.in(frame), start.in(frame), stop.in(frame), step.in(frame), frame.budget());
    }

    /** A call, which may pass what stands in a call block. */
    Evaluation call(Expression.Call call, Scope scope, boolean lenient, Optional<Evaluation> caller) {
        Evaluation callee = compile(call.callee(), scope, lenient);
        ArgumentsCompiler arguments = new ArgumentsCompiler(this, call.arguments(), scope, lenient, caller);
        return at(call.span(), frame -> {
            Object function = callee.in(frame);
            var passed = arguments.in(frame);
            if (function instanceof Function known) {
                return known.call(passed, frame.budget());
            }
            throw function instanceof Undefined undefined
                    ? undefined.failure()
                    : new TemplateException("'" + Types.name(function) + "' object is not callable");
        });
    }

    /** A filter, or several in a row; the first works on a given value if it names none. */
    Evaluation filter(Expression.Filter filter, Scope scope, boolean lenient, Evaluation given) {
        Evaluation subject = filter.subject()
                .map(e -> e instanceof Expression.Filter inner
                        ? filter(inner, scope, lenient, given)
                        : compile(e, scope, lenient))
                .orElse(given);
        Function function = function("filter", filter.name(), Filters.find(filter.name()), filter.span(), lenient);
        return apply(function, subject, filter.arguments(), scope, lenient, filter.span());
    }

    private Evaluation apply(
            Function function, Evaluation subject, CallArguments rest, Scope scope, boolean lenient, Span span) {
        ArgumentsCompiler arguments = new ArgumentsCompiler(this, rest, scope, lenient, Optional.empty());
        return at(span, frame -> function.call(arguments.in(frame, subject.in(frame)), frame.budget()));
    }

    private Function function(String kind, String name, @Nullable Function found, Span span, boolean lenient) {
        if (found != null) {
            return found;
        }
        String reason = "No " + kind + " named '" + name + "'";
        if (!lenient) {
            throw new TemplateException(reason + ".", span.line(), source.shown(span));
        }
        return (arguments, budget) -> {
            throw new TemplateException(reason + " found.");
        };
    }

    /** An evaluation that counts, and whose failures say where they are. */
    private Evaluation at(Span span, Evaluation evaluation) {
        return frame -> {
            frame.budget().enter();
            try {
                Object value = evaluation.in(frame);
                frame.budget().leave();
                return value;
            } catch (TemplateException e) {
                throw located(e, span);
            }
        };
    }

    /** A failure that says where it is. */
    TemplateException located(TemplateException failure, Span span) {
        return failure.line().isPresent() ? failure : failure.at(span.line(), source.shown(span));
    }
}
