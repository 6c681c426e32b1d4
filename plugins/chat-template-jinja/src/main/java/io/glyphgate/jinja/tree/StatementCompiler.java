package io.glyphgate.jinja.tree;

import io.glyphgate.jinja.TemplateException;
import io.glyphgate.jinja.syntax.Expression;
import io.glyphgate.jinja.syntax.Source;
import io.glyphgate.jinja.syntax.Span;
import io.glyphgate.jinja.syntax.Statement;
import io.glyphgate.jinja.syntax.Walk;
import io.glyphgate.jinja.value.Text;
import io.glyphgate.jinja.value.Truth;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/** Compiles statements. */
public final class StatementCompiler {
    private final ExpressionCompiler expressions;
    private final LoopCompiler loops;
    private final MacroCompiler macros;

    private StatementCompiler(Source source) {
        expressions = new ExpressionCompiler(source);
        loops = new LoopCompiler(this, expressions);
        macros = new MacroCompiler(this, expressions);
    }

    /**
     * Compiles a template.
     *
     * @param template its statements
     * @param source where they come from
     */
    public static Program compile(List<Statement> template, Source source) {
        Set<String> blocks = new HashSet<>();
        Walk.all(Statement.Block.class, template).forEach(block -> {
            if (!blocks.add(block.name())) {
                throw new TemplateException(
                        "block '" + block.name() + "' defined twice", block.span().line(), "");
            }
        });
        Scope scope = Scope.outermost();
        scope.take(template);
        Action body = new StatementCompiler(source).compile(template, scope, false);
        Action entry = scope.entry();
        Layout layout = scope.layout();
        return rendering -> {
            Frame frame = Frame.outermost(layout, rendering);
            Output out = new Output(rendering.budget());
            entry.run(frame, out);
            body.run(frame, out);
            return out.text();
        };
    }

    Action compile(List<Statement> statements, Scope scope, boolean lenient) {
        Action[] actions = statements.stream()
                .map(statement -> compile(statement, scope, lenient))
                .toArray(Action[]::new);
        return (frame, out) -> {
            frame.budget().enter();
            Flow flow = Flow.NEXT;
            for (int i = 0; i < actions.length && flow == Flow.NEXT; i++) {
                flow = actions[i].run(frame, out);
            }
            frame.budget().leave();
            return flow;
        };
    }

    private Action compile(Statement statement, Scope scope, boolean lenient) {
        return switch (statement) {
            case Statement.Text text -> {
                String data = text.text();
                yield (frame, out) -> {
                    out.append(data);
                    return Flow.NEXT;
                };
            }
            case Statement.Print print -> {
                Evaluation value = expressions.compile(print.value(), scope, lenient);
                Span span = print.value().span();
                yield (frame, out) -> {
                    out.append(printed(value.in(frame), span, frame));
                    return Flow.NEXT;
                };
            }
            case Statement.If condition -> condition(condition, scope);
            case Statement.For loop -> loops.compile(loop, scope, lenient);
            case Statement.Assign assign -> assign(assign, scope, lenient);
            case Statement.AssignBlock assign -> assignBlock(assign, scope);
            case Statement.Macro macro -> {
                Macro.Code code = macros.compile(
                        macro.name(), macro.parameters(), macro.body(), scope, macro.span());
                int slot = scope.slot(macro.name()).index();
                yield (frame, out) -> {
                    frame.set(slot, new Macro(code, frame));
                    return Flow.NEXT;
                };
            }
            case Statement.CallBlock block -> callBlock(block, scope, lenient);
            case Statement.Scoped scoped -> inner(scoped.body(), scope.inner());
            case Statement.FilterBlock block -> filterBlock(block, scope);
            case Statement.With with -> with(with, scope, lenient);
            case Statement.Block block -> block(block, scope);
            case Statement.Break jump -> (frame, out) -> Flow.BREAK;
            case Statement.Continue jump -> (frame, out) -> Flow.CONTINUE;
            case Statement.Load load -> {
                Evaluation template = expressions.compile(load.template(), scope, lenient);
                Span span = load.span();
                yield (frame, out) -> {
                    template.in(frame);
                    throw expressions.located(
                            new TemplateException("no loader for this environment specified"), span);
                };
            }
        };
    }

    private String printed(Object value, Span span, Frame frame) {
        try {
            return Text.str(value, frame.budget());
        } catch (TemplateException e) {
            throw expressions.located(e, span);
        }
    }

    private Action condition(Statement.If condition, Scope scope) {
        int count = condition.branches().size();
        Evaluation[] tests = new Evaluation[count];
        Action[] bodies = new Action[count];
        for (int i = 0; i < count; i++) {
            tests[i] = expressions.compile(condition.branches().get(i).test(), scope, true);
            bodies[i] = compile(condition.branches().get(i).body(), scope, true);
        }
        Action otherwise = compile(condition.otherwise(), scope, true);
        return (frame, out) -> {
            for (int i = 0; i < count; i++) {
                if (Truth.of(tests[i].in(frame))) {
                    return bodies[i].run(frame, out);
                }
            }
            return otherwise.run(frame, out);
        };
    }

    private Action assign(Statement.Assign assign, Scope scope, boolean lenient) {
        Evaluation value = expressions.compile(assign.value(), scope, lenient);
        TargetCompiler target = new TargetCompiler(assign.target(), scope);
        Span span = assign.span();
        return (frame, out) -> {
            try {
                target.check(frame);
                target.set(value.in(frame), frame);
                return Flow.NEXT;
            } catch (TemplateException e) {
                throw expressions.located(e, span);
            }
        };
    }

    private Action assignBlock(Statement.AssignBlock assign, Scope scope) {
        Scope inner = scope.inner();
        inner.take(assign.body());
        assign.filter().ifPresent(inner::take);
        Captured captured = new Captured(assign.body(), assign.filter(), inner);
        TargetCompiler target = new TargetCompiler(assign.target(), scope);
        Span span = assign.span();
        return (frame, out) -> captured.run(frame, value -> {
            try {
                target.check(frame);
                target.set(value, frame);
            } catch (TemplateException e) {
                throw expressions.located(e, span);
            }
        });
    }

    private Action filterBlock(Statement.FilterBlock block, Scope scope) {
        Scope inner = scope.inner();
        inner.take(block.body());
        inner.take(block.filter());
        Captured captured = new Captured(block.body(), Optional.of(block.filter()), inner);
        Span span = block.span();
        return (frame, out) -> captured.run(frame, value -> out.append(printed(value, span, frame)));
    }

    /** A body whose text is not written but used as a value. */
    private final class Captured {
        private final Action body;
        private final Action entry;
        private final int textSlot;
        private final Evaluation value;

        Captured(List<Statement> statements, Optional<Expression.Filter> filter, Scope scope) {
            body = compile(statements, scope, false);
            entry = scope.entry();
            textSlot = scope.unnamed().index();
            Evaluation text = frame -> Objects.requireNonNull(frame.slot(textSlot));
            value = filter.map(f -> expressions.filter(f, scope, false, text)).orElse(text);
        }

        Flow run(Frame frame, Consumer<Object> use) {
            Output text = new Output(frame.budget());
            entry.run(frame, text);
            Flow flow = body.run(frame, text);
            if (flow == Flow.NEXT) {
                frame.set(textSlot, text.text());
                use.accept(value.in(frame));
            }
            return flow;
        }
    }

    private Action callBlock(Statement.CallBlock block, Scope scope, boolean lenient) {
        Macro.Code code = macros.compile("", block.parameters(), block.body(), scope, block.span());
        Evaluation call = expressions.call(
                block.call(), scope, lenient, Optional.of(frame -> new Macro(code, frame)));
        Span span = block.span();
        return (frame, out) -> {
            out.append(printed(call.in(frame), span, frame));
            return Flow.NEXT;
        };
    }

    private Action with(Statement.With with, Scope scope, boolean lenient) {
        Scope inner = scope.inner();
        with.targets().forEach(inner::give);
        inner.take(with.body());
        int count = with.targets().size();
        Evaluation[] values = new Evaluation[count];
        TargetCompiler[] targets = new TargetCompiler[count];
        for (int i = 0; i < count; i++) {
            values[i] = expressions.compile(with.values().get(i), scope, lenient);
            targets[i] = new TargetCompiler(with.targets().get(i), inner);
        }
        Action body = compile(with.body(), inner, false);
        Action entry = inner.entry();
        return (frame, out) -> {
            entry.run(frame, out);
            for (int i = 0; i < count; i++) {
                targets[i].set(values[i].in(frame), frame);
            }
            return body.run(frame, out);
        };
    }

    private Action block(Statement.Block block, Scope scope) {
        // Without inheritance a block only differs in what it sees: the names of the template, or of where it stands.
        Scope seen = block.scoped() ? scope : scope.root();
        Scope inner = seen.inner(scope.layout().inner());
        Action body = inner(block.body(), inner);
        Layout layout = inner.layout();
        return (frame, out) -> body.run(frame.inner(layout), out);
    }

    private Action inner(List<Statement> statements, Scope scope) {
        scope.take(statements);
        Action body = compile(statements, scope, false);
        Action entry = scope.entry();
        return (frame, out) -> {
            entry.run(frame, out);
            return body.run(frame, out);
        };
    }
}
