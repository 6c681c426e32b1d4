package io.glyphgate.proxy.config;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * A key of a block, read from a component of its record.
 *
 * @param name kebab case
 * @param type what may stand there
 * @param presence what happens when it is not given
 * @param defaultText the value when it is not given, as it would be written, items of a list with commas between them;
 *     null if there is none
 * @param doc what it means
 * @param range the limits of a number; null if there are none
 * @param rest whether it takes all keys that no other takes
 * @param shorthand whether a plain value in place of the block means this key
 */
record Key(
        String name,
        ValueType type,
        Presence presence,
        @Nullable String defaultText,
        String doc,
        @Nullable Range range,
        boolean rest,
        boolean shorthand) {

    /** What happens when a key is not given. */
    enum Presence {
        /** That is an error, unless there is a default. */
        PLAIN,
        /** The value is an empty {@link Optional}. */
        OPTIONAL,
        /** The value is an empty {@link OptionalInt}. */
        OPTIONAL_NUMBER
    }

    /** The keys of the block that a record describes, in its order. */
    static List<Key> of(Class<?> record) {
        return Arrays.stream(record.getRecordComponents()).map(Key::of).toList();
    }

    private static Key of(RecordComponent component) {
        ValueType type;
        Presence presence;
        if (component.getType() == Optional.class) {
            type = ValueType.of(((ParameterizedType) component.getGenericType()).getActualTypeArguments()[0]);
            presence = Presence.OPTIONAL;
        } else if (component.getType() == OptionalInt.class) {
            type = ValueType.Plain.NUMBER;
            presence = Presence.OPTIONAL_NUMBER;
        } else {
            type = ValueType.of(component.getGenericType());
            presence = Presence.PLAIN;
        }
        Default otherwise = component.getAnnotation(Default.class);
        return new Key(
                KeyPath.keyOf(component.getName()),
                type,
                presence,
                otherwise == null ? null : otherwise.value(),
                component.getAnnotation(Doc.class).value(),
                component.getAnnotation(Range.class),
                component.isAnnotationPresent(Rest.class),
                component.isAnnotationPresent(Shorthand.class));
    }

    /** What stands for the key when it is not given; only of a key that has a default. */
    Tree defaultTree(Place block) {
        String text = Objects.requireNonNull(defaultText, "the key has no default");
        return type instanceof ValueType.ListOf
                ? new Tree.Items(
                        Arrays.stream(text.split(", "))
                                .<Tree>map(item -> new Tree.Text(item, false, block))
                                .toList(),
                        block)
                : new Tree.Text(text, false, block);
    }

    /** Whether leaving it out is an error. */
    boolean required() {
        return defaultText == null
                && presence == Presence.PLAIN
                && switch (type) {
                    case ValueType.Plain plain -> true;
                    case ValueType.Choice choice -> true;
                    case ValueType.ListOf list -> false;
                    case ValueType.MapOf map -> false;
                    case ValueType.BlockOf block -> of(block.type()).stream().anyMatch(Key::required);
                };
    }

    /** The name of an enum constant as the file has it. */
    static String nameOf(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
