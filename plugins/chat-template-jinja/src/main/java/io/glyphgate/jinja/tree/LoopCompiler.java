package io.glyphgate.jinja.tree;

import io.glyphgate.jinja.TemplateException;
import io.glyphgate.jinja.syntax.Statement;
import io.glyphgate.jinja.syntax.Walk;
import io.glyphgate.jinja.value.Iterating;
import io.glyphgate.jinja.value.Truth;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Compiles loops. */
final class LoopCompiler {
    private static final String LOOP = "loop";

    private final StatementCompiler statements;
    private final ExpressionCompiler expressions;

    LoopCompiler(StatementCompiler statements, ExpressionCompiler expressions) {
        this.statements = statements;
        this.expressions = expressions;
    }

    Action compile(Statement.For loop, Scope outer, boolean lenient) {
        Scope scope = loop.recursive() ? outer.function() : outer.inner();
        boolean extended = loop.recursive()
                || Undeclared.among(Set.of(LOOP), loop.body()).contains(LOOP)
                || Walk.all(Statement.Block.class, List.of(loop)).anyMatch(Statement.Block::scoped);
        if (extended) {
            scope.give(LOOP);
        }
        scope.give(loop.target());
        scope.take(loop.body());
        Scope otherwise = outer.inner(scope.layout());
        otherwise.take(loop.otherwise());
        Run run = new Run(
                extended ? OptionalInt.of(scope.slot(LOOP).index()) : OptionalInt.empty(),
                new TargetCompiler(loop.target(), scope),
                loop.test().map(test -> new Test(loop, outer.inner(scope.layout()))),
                statements.compile(loop.body(), scope, false),
                scope.entry(),
                statements.compile(loop.otherwise(), otherwise, false),
                otherwise.entry());
        Evaluation items = expressions.compile(loop.items(), outer, lenient);
        Layout layout = scope.layout();
        return (frame, out) -> {
            try {
                if (loop.recursive()) {
                    out.append((String) recurse(run, items.in(frame), frame, layout, 0));
                    return Flow.NEXT;
                }
                return run.over(items.in(frame), frame, out, Optional.empty(), 0);
            } catch (TemplateException e) {
                throw expressions.located(e, loop.span());
            }
        };
    }

    private static Object recurse(Run run, Object items, Frame definedIn, Layout layout, int depth) {
        definedIn.budget().enter();
        Output out = new Output(definedIn.budget());
        Loop.Recursion deeper = (more, level) -> recurse(run, more, definedIn, layout, level);
        run.over(items, definedIn.inner(layout), out, Optional.of(deeper), depth);
        definedIn.budget().leave();
        return out.text();
    }

    /** The condition of a loop, with names of its own for the item. */
    private final class Test {
        private final TargetCompiler target;
        private final Evaluation condition;
        private final Action entry;

        Test(Statement.For loop, Scope scope) {
            scope.give(loop.target());
            scope.take(loop.test().orElseThrow());
            target = new TargetCompiler(loop.target(), scope);
            condition = expressions.compile(loop.test().orElseThrow(), scope, false);
            entry = scope.entry();
        }

        boolean passes(Object item, Frame frame, Output out) {
            entry.run(frame, out);
            target.set(item, frame);
            return Truth.of(condition.in(frame));
        }
    }

    /** What a loop does with items. */
    private record Run(
            OptionalInt loopSlot,
            TargetCompiler target,
            Optional<Test> test,
            Action body,
            Action entry,
            Action otherwise,
            Action otherwiseEntry) {
        Flow over(Object value, Frame frame, Output out, Optional<Loop.Recursion> recursion, int depth) {
            Iterator<Object> items = Iterating.iterator(value);
            OptionalInt length = Iterating.lengthIfKnown(value);
            if (test.isPresent()) {
                items = Iterating.filter(items, item -> test.get().passes(item, frame, out));
                length = OptionalInt.empty();
            }
            Loop loop = loopSlot.isPresent() ? new Loop(items, length, recursion, depth) : null;
            boolean nothingDone = true;
            for (Object item = next(loop, items); item != null; item = next(loop, items)) {
                frame.budget().step(1);
                if (loop != null) {
                    frame.set(loopSlot.getAsInt(), loop);
                }
                target.set(item, frame);
                entry.run(frame, out);
                Flow flow = body.run(frame, out);
                // As in Jinja, a round that a break or continue ends does not count for the else branch.
                nothingDone &= flow != Flow.NEXT;
                if (flow == Flow.BREAK) {
                    break;
                }
            }
            if (!nothingDone) {
                return Flow.NEXT;
            }
            otherwiseEntry.run(frame, out);
            return otherwise.run(frame, out);
        }

        private static @Nullable Object next(@Nullable Loop loop, Iterator<Object> items) {
            if (loop != null) {
                return loop.advance();
            }
            return items.hasNext() ? items.next() : null;
        }
    }
}
