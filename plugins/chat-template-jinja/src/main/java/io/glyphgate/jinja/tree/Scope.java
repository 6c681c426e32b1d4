package io.glyphgate.jinja.tree;

import io.glyphgate.jinja.syntax.Expression;
import io.glyphgate.jinja.syntax.Node;
import io.glyphgate.jinja.syntax.Statement;
import io.glyphgate.jinja.syntax.Target;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The names of a part of a template, found out before any of it is compiled. As in Jinja a name that is set anywhere in a
 * scope belongs to that scope from its start on: it starts with the value that it has further out, or without one.
 */
final class Scope {
    /** What a name of a scope holds when the scope is entered. */
    private enum Start {
        /** What whoever enters puts there: a parameter, the item of a loop. */
        GIVEN,
        /** The variable or global of that name. */
        RESOLVED,
        /** What the name holds further out. */
        COPIED,
        /** Nothing. */
        UNSET
    }

    /** A place for a value. */
    record Slot(Layout layout, int index) {}

    private final @Nullable Scope outer;
    private final Layout layout;
    private final Map<String, Start> names;
    private final Set<String> stored;
    private final Map<String, Slot> slots = new HashMap<>();

    private Scope(@Nullable Scope outer, Layout layout, Map<String, Start> names, Set<String> stored) {
        this.outer = outer;
        this.layout = layout;
        this.names = names;
        this.stored = stored;
    }

    /** The scope of the template itself. */
    static Scope outermost() {
        return new Scope(null, Layout.outermost(), new LinkedHashMap<>(), new LinkedHashSet<>());
    }

    /** A scope in this one, in the same function. */
    Scope inner() {
        return inner(layout);
    }

    /** A scope in this one, in a function of its own. */
    Scope function() {
        return inner(layout.inner());
    }

    /** A scope in this one, in a function that another of its scopes has started. */
    Scope inner(Layout function) {
        return new Scope(this, function, new LinkedHashMap<>(), new LinkedHashSet<>());
    }

    Layout layout() {
        return layout;
    }

    /** The scope of the template itself. */
    Scope root() {
        return outer == null ? this : outer.root();
    }

    /** Takes a name for a value that whoever enters the scope puts there. */
    void give(String name) {
        stored.add(name);
        names.put(name, Start.GIVEN);
    }

    /** Takes the names of a target for values that whoever enters the scope puts there. */
    void give(Target target) {
        switch (target) {
            case Target.Variable variable -> give(variable.name());
            case Target.Several several -> several.targets().forEach(this::give);
            case Target.Member member -> read(member.namespace());
        }
    }

    /** Takes in what statements read and set. */
    void take(List<? extends Node> nodes) {
        nodes.forEach(this::take);
    }

    /** Takes in what a node reads and sets; scopes below it are left for later. */
    void take(Node node) {
        switch (node) {
            case Expression.Name name -> read(name.name());
            case Target.Variable variable -> store(variable.name());
            case Target.Member member -> read(member.namespace());
            case Statement.If condition -> takeBranches(condition);
            case Statement.For loop -> take(loop.items());
            case Statement.Assign assign -> {
                take(assign.value());
                take(assign.target());
            }
            case Statement.AssignBlock assign -> take(assign.target());
            case Statement.Macro macro -> store(macro.name());
            case Statement.CallBlock block -> take(block.call());
            case Statement.FilterBlock block -> take(block.filter());
            case Statement.With with -> take(with.values());
            case Statement.Scoped scoped -> {}
            case Statement.Block block -> {}
            default -> take(node.children());
        }
    }

    private void takeBranches(Statement.If condition) {
        List<Statement.Branch> branches = condition.branches();
        take(branches.getFirst().test());
        Scope first = copy();
        first.take(branches.getFirst().body());
        Scope others = copy();
        for (Statement.Branch branch : branches.subList(1, branches.size())) {
            others.takeBranches(new Statement.If(List.of(branch), List.of()));
        }
        Scope otherwise = copy();
        otherwise.take(condition.otherwise());
        merge(List.of(first, others, otherwise));
    }

    private Scope copy() {
        return new Scope(outer, layout, new LinkedHashMap<>(names), new LinkedHashSet<>(stored));
    }

    /** Takes in what branches read and set, of which at most one is run. */
    private void merge(List<Scope> branches) {
        Set<String> inSome = new LinkedHashSet<>();
        branches.forEach(branch -> inSome.addAll(branch.stored));
        inSome.removeAll(stored);
        for (Scope branch : branches) {
            names.putAll(branch.names);
            stored.addAll(branch.stored);
        }
        for (String name : inSome) {
            names.put(name, isKnownFurtherOut(name) ? Start.COPIED : Start.RESOLVED);
        }
    }

    private void read(String name) {
        if (!names.containsKey(name) && !isKnownFurtherOut(name)) {
            names.put(name, Start.RESOLVED);
        }
    }

    private void store(String name) {
        stored.add(name);
        if (!names.containsKey(name)) {
            names.put(name, isKnownFurtherOut(name) ? Start.COPIED : Start.UNSET);
        }
    }

    private boolean isKnownFurtherOut(String name) {
        return outer != null && (outer.names.containsKey(name) || outer.isKnownFurtherOut(name));
    }

    /** The place of a name, of this scope or one further out. */
    Slot slot(String name) {
        if (names.containsKey(name)) {
            return slots.computeIfAbsent(name, unseen -> new Slot(layout, layout.add()));
        }
        if (outer == null) {
            throw new IllegalStateException("nothing was found out about the name " + name);
        }
        return outer.slot(name);
    }

    /** A place for a value that has no name. */
    Slot unnamed() {
        return new Slot(layout, layout.add());
    }

    /** What happens when the scope is entered: its names get the values that they start with. */
    Action entry() {
        List<Action> starts = new ArrayList<>();
        names.forEach((name, start) -> {
            int index = slot(name).index();
            switch (start) {
                case GIVEN -> {}
                case RESOLVED -> starts.add((frame, out) -> {
                    frame.set(index, frame.rendering().resolve(name));
                    return Flow.NEXT;
                });
                case COPIED -> {
                    Scope further = Objects.requireNonNull(outer);
                    Slot from = further.slot(name);
                    int hops = layout.depth() - from.layout().depth();
                    starts.add((frame, out) -> {
                        frame.set(index, frame.outer(hops).slot(from.index()));
                        return Flow.NEXT;
                    });
                }
                case UNSET -> starts.add((frame, out) -> {
                    frame.set(index, null);
                    return Flow.NEXT;
                });
            }
        });
        Action[] all = starts.toArray(Action[]::new);
        return (frame, out) -> {
            for (Action start : all) {
                start.run(frame, out);
            }
            return Flow.NEXT;
        };
    }
}
