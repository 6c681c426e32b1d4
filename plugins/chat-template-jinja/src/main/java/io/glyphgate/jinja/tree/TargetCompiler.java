package io.glyphgate.jinja.tree;

import io.glyphgate.jinja.TemplateException;
import io.glyphgate.jinja.builtin.Namespace;
import io.glyphgate.jinja.syntax.Target;
import io.glyphgate.jinja.value.Iterating;
import io.glyphgate.jinja.value.Types;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;

/** A compiled target: what a value is assigned to. */
final class TargetCompiler {
    private interface Setter {
        void set(Object value, Frame frame);
    }

    private final Setter setter;
    private final List<Evaluation> namespaces = new ArrayList<>();

    TargetCompiler(Target target, Scope scope) {
        setter = setter(target, scope);
    }

    /** Assigns a value. */
    void set(Object value, Frame frame) {
        setter.set(value, frame);
    }

    /** Refuses attributes of anything but namespaces; Jinja does so before it looks at the value. */
    void check(Frame frame) {
        for (Evaluation namespace : namespaces) {
            namespaceOf(namespace, frame);
        }
    }

    private static Namespace namespaceOf(Evaluation evaluation, Frame frame) {
        if (evaluation.in(frame) instanceof Namespace namespace) {
            return namespace;
        }
        throw new TemplateException("cannot assign attribute on non-namespace object");
    }

    private Setter setter(Target target, Scope scope) {
        return switch (target) {
            case Target.Variable variable -> {
                // A name that is set belongs to the scope that sets it, so its slot is in the same function.
                int index = scope.slot(variable.name()).index();
                yield (value, frame) -> frame.set(index, value);
            }
            case Target.Member member -> {
                Evaluation namespace = ExpressionCompiler.name(member.namespace(), scope);
                namespaces.add(namespace);
                String name = member.name();
                yield (value, frame) -> namespaceOf(namespace, frame).set(name, value);
            }
            case Target.Several several -> several(several.targets().stream().map(t -> setter(t, scope)));
        };
    }

    private static Setter several(Stream<Setter> targets) {
        Setter[] setters = targets.toArray(Setter[]::new);
        return (value, frame) -> {
            Iterator<Object> items = Iterating.iteratorOrNull(value);
            if (items == null) {
                throw new TemplateException("cannot unpack non-iterable "
                        + Types.name(value) + " object");
            }
            List<Object> values = new ArrayList<>(setters.length);
            while (items.hasNext() && values.size() <= setters.length) {
                values.add(items.next());
            }
            if (values.size() > setters.length) {
                throw new TemplateException("too many values to unpack (expected " + setters.length + ")");
            }
            if (values.size() < setters.length) {
                throw new TemplateException("not enough values to unpack (expected " + setters.length + ", got "
                        + values.size() + ")");
            }
            for (int i = 0; i < setters.length; i++) {
                setters[i].set(values.get(i), frame);
            }
        };
    }
}
