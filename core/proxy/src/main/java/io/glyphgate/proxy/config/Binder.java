package io.glyphgate.proxy.config;

import java.lang.reflect.Constructor;
import java.lang.reflect.RecordComponent;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Makes records of a {@link Tree}, and says of everything that does not fit what is wrong and what to do. */
final class Binder {
    private static final Pattern WHOLE_NUMBER = Pattern.compile("-?[0-9]+");
    private static final Pattern NUMBER_AND_UNIT = Pattern.compile("([0-9]+)\\s*([A-Za-z%]*)");

    private final List<Problem> problems;
    private final Map<KeyPath, Place> places;

    /**
     * A binder.
     *
     * @param problems gains what is wrong
     * @param places gains where each key stands
     */
    Binder(List<Problem> problems, Map<KeyPath, Place> places) {
        this.problems = problems;
        this.places = places;
    }

    /** Makes a record; null if something in it is wrong. */
    <R extends Record> @Nullable R bind(Class<R> type, Tree tree) {
        return type.cast(block(type, tree, KeyPath.of()));
    }

    private @Nullable Object value(ValueType type, @Nullable Range range, Tree tree, KeyPath path) {
        places.put(path, tree.place());
        return typed(type, range, tree, path);
    }

    private @Nullable Object typed(ValueType type, @Nullable Range range, Tree tree, KeyPath path) {
        return switch (type) {
            case ValueType.BlockOf block -> block(block.type(), tree, path);
            case ValueType.MapOf map -> map(map.value(), tree, path);
            case ValueType.ListOf list -> list(list.item(), range, tree, path);
            case ValueType.Choice choice -> choice(choice, tree, path);
            case ValueType.Plain plain -> plain(plain, range, tree, path);
        };
    }

    private @Nullable Object block(Class<?> type, Tree tree, KeyPath path) {
        List<Key> keys = Key.of(type);
        Tree.Block block = asBlock(tree, keys.stream().filter(Key::shorthand).findFirst(), path);
        if (block == null) {
            return null;
        }
        Map<String, Tree> rest = new LinkedHashMap<>(block.entries());
        keys.forEach(key -> rest.remove(key.name()));
        Object[] values = new Object[keys.size()];
        boolean whole = true;
        boolean takesRest = false;
        for (int i = 0; i < values.length; i++) {
            Key key = keys.get(i);
            takesRest |= key.rest();
            values[i] = key.rest()
                    ? typed(key.type(), key.range(), new Tree.Block(rest, block.place()), path)
                    : component(key, block, path.child(key.name()));
            whole &= values[i] != null;
        }
        if (!takesRest) {
            List<String> known = keys.stream().map(Key::name).toList();
            rest.forEach((name, given) -> problems.add(new Problem(
                    given.place(), path.child(name), "unknown key; " + Nearest.hint(name, known))));
        }
        return whole ? construct(type, values) : null;
    }

    /** The value of one component, default and absence included; null if something is wrong. */
    private @Nullable Object component(Key key, Tree.Block block, KeyPath path) {
        Tree given = block.entries().get(key.name());
        if (given == null) {
            return absent(key, block.place(), path);
        }
        Object value = value(key.type(), key.range(), given, path);
        if (value == null) {
            return null;
        }
        return switch (key.presence()) {
            case PLAIN -> value;
            case OPTIONAL -> Optional.of(value);
            case OPTIONAL_NUMBER -> OptionalInt.of((int) value);
        };
    }

    private @Nullable Object absent(Key key, Place block, KeyPath path) {
        if (key.defaultText() != null) {
            return typed(key.type(), key.range(), key.defaultTree(block), path);
        }
        return switch (key.presence()) {
            case OPTIONAL -> Optional.empty();
            case OPTIONAL_NUMBER -> OptionalInt.empty();
            case PLAIN -> switch (key.type()) {
                case ValueType.ListOf list -> List.of();
                case ValueType.MapOf map -> Map.of();
                case ValueType.BlockOf inner -> block(
                        inner.type(), new Tree.Block(Map.of(), block), path);
                case ValueType.Plain plain -> missing(key, block, path);
                case ValueType.Choice choice -> missing(key, block, path);
            };
        };
    }

    private @Nullable Object missing(Key key, Place block, KeyPath path) {
        String values = key.type() instanceof ValueType.Choice choice
                ? " (one of " + String.join(", ", choice.names()) + ")"
                : "";
        return wrong(block, path, "missing; it has no default, so give it" + values + ": " + key.doc());
    }

    private Tree.@Nullable Block asBlock(Tree tree, Optional<Key> shorthand, KeyPath path) {
        return switch (tree) {
            case Tree.Block block -> block;
            case Tree.Text text when text.absent() -> new Tree.Block(Map.of(), text.place());
            case Tree.Text text when shorthand.isPresent() ->
                new Tree.Block(Map.of(shorthand.get().name(), text), text.place());
            case Tree.Text text -> {
                wrong(tree.place(), path, "is the plain value '" + text.text() + "', but must be a block of keys");
                yield null;
            }
            case Tree.Items items -> {
                wrong(tree.place(), path, "is a list, but must be a block of keys");
                yield null;
            }
        };
    }

    private @Nullable Object map(ValueType type, Tree tree, KeyPath path) {
        Tree.Block block = asBlock(tree, Optional.empty(), path);
        if (block == null) {
            return null;
        }
        Map<String, Object> values = new LinkedHashMap<>();
        block.entries().forEach((name, given) -> {
            Object value = value(type, null, given, path.child(name));
            if (value != null) {
                values.put(name, value);
            }
        });
        return values.size() == block.entries().size() ? Collections.unmodifiableMap(values) : null;
    }

    private @Nullable Object list(ValueType type, @Nullable Range range, Tree tree, KeyPath path) {
        if (!(tree instanceof Tree.Items items)) {
            return wrong(tree.place(), path, "must be a list: put each value on a line after '- ', or write [a, b]");
        }
        List<Object> values = new ArrayList<>();
        for (int i = 0; i < items.items().size(); i++) {
            Object value = value(type, range, items.items().get(i), path.item(i));
            if (value != null) {
                values.add(value);
            }
        }
        return values.size() == items.items().size() ? List.copyOf(values) : null;
    }

    private @Nullable Object choice(ValueType.Choice choice, Tree tree, KeyPath path) {
        String text = text(tree, path);
        if (text == null) {
            return null;
        }
        for (Enum<?> constant : choice.constants()) {
            if (Key.nameOf(constant).equals(text)) {
                return constant;
            }
        }
        return wrong(tree.place(), path, "'" + text + "' is not a value of this key; "
                + Nearest.hint(text, choice.names()));
    }

    private @Nullable Object plain(ValueType.Plain type, @Nullable Range range, Tree tree, KeyPath path) {
        boolean literal = type == ValueType.Plain.LITERAL;
        if (literal && tree instanceof Tree.Text given && !given.absent() && !given.text().isEmpty()) {
            return new Literal(given.text());
        }
        String text = text(tree, path);
        if (text == null) {
            return null;
        }
        Place place = tree.place();
        return switch (type) {
            case TEXT -> text;
            case LITERAL -> new Literal(text);
            case VALUE -> value(text);
            case FLAG -> switch (text) {
                case "true" -> true;
                case "false" -> false;
                default -> wrong(place, path, "'" + text + "' is neither true nor false");
            };
            case NUMBER -> number(text, range, place, path);
            case DURATION -> {
                Long milliseconds = amount(text, Units.TIME, range, place, path);
                yield milliseconds == null ? null : Duration.ofMillis(milliseconds);
            }
            case SIZE -> {
                Long bytes = amount(text, Units.SIZE, range, place, path);
                yield bytes == null ? null : new Size(bytes);
            }
            case PERCENT -> {
                Long hundredths = amount(text, Units.SHARE, range, place, path);
                yield hundredths == null ? null : new Percent(hundredths);
            }
            case PATH -> path(text, place, path);
            case ADDRESS -> address(text, place, path);
        };
    }

    private @Nullable String text(Tree tree, KeyPath path) {
        return switch (tree) {
            case Tree.Text text when text.absent() || text.text().isBlank() -> {
                wrong(text.place(), path, "has no value; give it one, or remove the key");
                yield null;
            }
            case Tree.Text text -> text.text();
            case Tree.Block block -> {
                wrong(block.place(), path, "is a block of keys, but must be a plain value");
                yield null;
            }
            case Tree.Items items -> {
                wrong(items.place(), path, "is a list, but must be a plain value");
                yield null;
            }
        };
    }

    private static Object value(String text) {
        if (text.equals("true") || text.equals("false")) {
            return Boolean.valueOf(text);
        }
        try {
            return WHOLE_NUMBER.matcher(text).matches() ? Integer.valueOf(text) : text;
        } catch (NumberFormatException e) {
            return text; // too large for any template argument that chooses something
        }
    }

    private @Nullable Object number(String text, @Nullable Range range, Place place, KeyPath path) {
        if (!WHOLE_NUMBER.matcher(text).matches()) {
            return wrong(place, path, "'" + text + "' is not a whole number");
        }
        try {
            int number = Integer.parseInt(text);
            if (range == null || (number >= range.min() && number <= range.max())) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Only its size can be wrong, which is said below.
        }
        long least = range == null ? Integer.MIN_VALUE : range.min();
        long most = range == null ? Integer.MAX_VALUE : range.max();
        return wrong(place, path, text + " is out of range; give a number from " + least + " to " + most);
    }

    private @Nullable Long amount(
            String text, Units units, @Nullable Range range, Place place, KeyPath path) {
        Matcher matcher = NUMBER_AND_UNIT.matcher(text);
        String known = "units: " + String.join(", ", units.names()) + "; for example " + units.example();
        if (!matcher.matches()) {
            wrong(place, path, "'" + text + "' is not a whole number with a unit (" + known + ")");
            return null;
        }
        Long unit = units.factors().get(matcher.group(2));
        if (unit == null) {
            String meant = Nearest.to(matcher.group(2), units.names())
                    .map(nearest -> "did you mean " + matcher.group(1) + nearest + "? ")
                    .orElse("");
            String fault = matcher.group(2).isEmpty() ? "has no unit" : "has the unknown unit " + matcher.group(2);
            wrong(place, path, "'" + text + "' " + fault + "; " + meant + "(" + known + ")");
            return null;
        }
        try {
            long amount = Math.multiplyExact(Long.parseLong(matcher.group(1)), unit);
            if (range == null || (amount >= range.min() && amount <= range.max())) {
                return amount;
            }
        } catch (ArithmeticException | NumberFormatException e) {
            // Only its size can be wrong, which is said below.
        }
        long least = range == null ? 0 : range.min();
        long most = range == null ? Long.MAX_VALUE : range.max();
        wrong(place, path, text + " is out of range; give " + units.shown(least) + " to " + units.shown(most));
        return null;
    }

    private @Nullable Object path(String text, Place place, KeyPath path) {
        try {
            return Path.of(text);
        } catch (InvalidPathException e) {
            return wrong(place, path, "'" + text + "' is not a path: " + e.getReason());
        }
    }

    /** The address of a server, without a slash at the end, so that the same address is always equal. */
    private @Nullable Object address(String text, Place place, KeyPath path) {
        String example = "; write it like http://decode-0:8000";
        URI uri;
        try {
            uri = new URI(text.endsWith("/") ? text.substring(0, text.length() - 1) : text);
        } catch (URISyntaxException e) {
            return wrong(place, path, "'" + text + "' is not an address: " + e.getReason() + example);
        }
        if (!"http".equals(uri.getScheme()) && !"https".equals(uri.getScheme())) {
            return wrong(place, path, "'" + text + "' does not start with http:// or https://" + example);
        }
        if (uri.getHost() == null) {
            return wrong(place, path, "'" + text + "' has no valid host (letters, digits, '-' and '.' only)" + example);
        }
        if (uri.getPort() == 0 || uri.getPort() > 65535) {
            return wrong(place, path, "'" + text + "' has a port that does not exist; give one from 1 to 65535");
        }
        if (uri.getUserInfo() != null || uri.getQuery() != null || uri.getFragment() != null) {
            return wrong(place, path, "'" + text + "' must not hold a user, a query or a fragment" + example);
        }
        return uri;
    }

    private @Nullable Object wrong(Place place, KeyPath path, String text) {
        problems.add(new Problem(place, path, text));
        return null;
    }

    private static Object construct(Class<?> type, Object[] values) {
        Class<?>[] types = Arrays.stream(type.getRecordComponents())
                .map(RecordComponent::getType)
                .toArray(Class<?>[]::new);
        try {
            Constructor<?> constructor = type.getDeclaredConstructor(types);
            return constructor.newInstance(values);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("the record " + type.getName() + " cannot be made", e);
        }
    }
}
