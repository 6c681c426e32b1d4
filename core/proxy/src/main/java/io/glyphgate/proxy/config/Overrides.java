package io.glyphgate.proxy.config;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Puts values from environment variables into the {@link Tree}. A variable's name is the prefix and the way to the key,
 * in upper case, with {@code _} for everything that is no letter or digit. A name that could mean two keys is refused.
 */
final class Overrides {
    /** How the names of the variables start. */
    static final String PREFIX = "GLYPHGATE_";

    /** A value that a variable can set, and what puts it there. */
    private record Target(KeyPath path, Consumer<Tree> setter) {}

    private final List<Problem> problems;
    private final Map<String, List<Target>> targets = new LinkedHashMap<>();

    private Overrides(List<Problem> problems) {
        this.problems = problems;
    }

    /**
     * Applies all variables that have the prefix.
     *
     * @param type the record that describes the file
     * @param tree the file
     * @param environment all variables
     * @param problems gains the variables that match no key
     * @return the file with the values in it
     */
    static Tree apply(Class<?> type, Tree tree, Map<String, String> environment, List<Problem> problems) {
        // Shorter names first, so that item 2 of a list comes before item 10.
        List<String> names = environment.keySet().stream()
                .filter(name -> name.startsWith(PREFIX))
                .sorted(Comparator.comparingInt(String::length).thenComparing(Comparator.naturalOrder()))
                .toList();
        boolean keys = tree instanceof Tree.Block || (tree instanceof Tree.Text text && text.absent());
        if (names.isEmpty() || !keys) {
            return tree;
        }
        Tree.Block root = asBlock(tree, Optional.empty());
        for (String name : names) {
            Overrides overrides = new Overrides(problems);
            overrides.addBlock(type, root, KeyPath.of(), entry -> {});
            overrides.set(name, environment.getOrDefault(name, ""));
        }
        return root;
    }

    private void set(String name, String value) {
        Place place = new Place("environment variable " + name, 0);
        List<Target> found = targets.getOrDefault(name, List.of());
        if (found.size() == 1) {
            found.getFirst().setter().accept(new Tree.Text(value, false, place));
        } else if (found.isEmpty()) {
            String text = "sets no key of the configuration; " + Nearest.to(name, targets.keySet())
                    .map(nearest -> "did you mean " + nearest + "?")
                    .orElse("unset it, or see the configuration reference for the names");
            boolean link = value.startsWith("tcp://") || name.contains("_SERVICE_") || name.contains("_TCP");
            problems.add(new Problem(place, KeyPath.of(), link
                    ? text + " (Kubernetes sets it for a service called glyphgate: use enableServiceLinks: false)"
                    : text));
        } else {
            problems.add(new Problem(place, KeyPath.of(), "could mean "
                    + String.join(" or ", new TreeSet<>(found.stream().map(t -> t.path().text()).toList()))
                    + "; set it in the file, or give one of them another name"));
        }
    }

    /**
     * Adds all that can be set at one place.
     *
     * @param tree what is there now; null if nothing is
     * @param setter puts something there
     */
    private void add(ValueType type, @Nullable Tree tree, KeyPath path, Consumer<Tree> setter) {
        switch (type) {
            case ValueType.Plain plain -> addTarget(path, setter);
            case ValueType.Choice choice -> addTarget(path, setter);
            case ValueType.ListOf list -> {
                List<Tree> items = tree instanceof Tree.Items given ? given.items() : new ArrayList<>();
                Place place = tree == null ? new Place("environment", 0) : tree.place();
                for (int i = 0; i <= items.size(); i++) {
                    int index = i;
                    add(list.item(), i < items.size() ? items.get(i) : null, path.item(i), value -> {
                        if (index < items.size()) {
                            items.set(index, value);
                        } else {
                            items.add(value);
                            setter.accept(new Tree.Items(items, place));
                        }
                    });
                }
            }
            case ValueType.MapOf map -> {
                if (tree instanceof Tree.Block block) {
                    addEntries(map, block, path, List.of());
                }
            }
            case ValueType.BlockOf block -> {
                List<Key> keys = Key.of(block.type());
                Optional<Key> shorthand = keys.stream().filter(Key::shorthand).findFirst();
                if (shorthand.isPresent()) {
                    addTarget(path, setter);
                }
                if (!(tree instanceof Tree.Items)) {
                    addBlock(block.type(), asBlock(tree, shorthand), path, setter);
                }
            }
        }
    }

    private void addBlock(
            Class<?> type, Tree.Block block, KeyPath path, Consumer<Tree> setter) {
        List<Key> keys = Key.of(type);
        for (Key key : keys) {
            if (key.rest() && key.type() instanceof ValueType.MapOf map) {
                addEntries(map, block, path, keys.stream().map(Key::name).toList());
            } else {
                add(key.type(), block.entries().get(key.name()), path.child(key.name()), value -> {
                    block.entries().put(key.name(), value);
                    setter.accept(block);
                });
            }
        }
    }

    /** Adds the entries of a map; those that have a meaning of their own excepted. */
    private void addEntries(ValueType.MapOf map, Tree.Block block, KeyPath path, List<String> except) {
        block.entries().forEach((name, value) -> {
            if (!except.contains(name)) {
                add(map.value(), value, path.child(name), changed -> block.entries().put(name, changed));
            }
        });
    }

    private void addTarget(KeyPath path, Consumer<Tree> setter) {
        targets.computeIfAbsent(variable(path), name -> new ArrayList<>()).add(new Target(path, setter));
    }

    /** The variable that sets a key. */
    static String variable(KeyPath path) {
        String name = path.text().toUpperCase(Locale.ROOT).replaceAll("[^A-Z0-9]+", "_");
        return PREFIX + (name.endsWith("_") ? name.substring(0, name.length() - 1) : name);
    }

    private static Tree.Block asBlock(@Nullable Tree tree, Optional<Key> shorthand) {
        return switch (tree) {
            case Tree.Block block -> block;
            case Tree.Text text when !text.absent() && shorthand.isPresent() -> {
                Map<String, Tree> entries = new LinkedHashMap<>();
                entries.put(shorthand.get().name(), text);
                yield new Tree.Block(entries, text.place());
            }
            case Tree.Text text -> new Tree.Block(new LinkedHashMap<>(), text.place());
            case Tree.Items items -> new Tree.Block(new LinkedHashMap<>(), items.place());
            case null -> new Tree.Block(new LinkedHashMap<>(), new Place("environment", 0));
        };
    }
}
