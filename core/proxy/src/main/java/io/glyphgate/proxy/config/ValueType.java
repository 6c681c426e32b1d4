package io.glyphgate.proxy.config;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** What may stand as a value. */
sealed interface ValueType {
    /** A value without parts. */
    enum Plain implements ValueType {
        TEXT,
        /** Text that may be white space. */
        LITERAL,
        /** True, false, a whole number, or text. */
        VALUE,
        NUMBER,
        FLAG,
        DURATION,
        SIZE,
        PERCENT,
        PATH,
        ADDRESS
    }

    /** One of the names of an enum. */
    record Choice(List<? extends Enum<?>> constants) implements ValueType {
        /** The names as the file has them. */
        List<String> names() {
            return constants.stream().map(Key::nameOf).toList();
        }
    }

    /** A list. */
    record ListOf(ValueType item) implements ValueType {}

    /** Keys that the operator chooses. */
    record MapOf(ValueType value) implements ValueType {}

    /** A block with the keys of a record. */
    record BlockOf(Class<?> type) implements ValueType {}

    /** The type of a record component. */
    static ValueType of(Type type) {
        if (type instanceof ParameterizedType generic) {
            Type[] arguments = generic.getActualTypeArguments();
            if (generic.getRawType() == List.class) {
                return new ListOf(of(arguments[0]));
            }
            if (generic.getRawType() == Map.class && arguments[0] == String.class) {
                return new MapOf(of(arguments[1]));
            }
        } else if (type instanceof Class<?> plain) {
            Plain known = PLAIN.get(plain);
            if (known != null) {
                return known;
            }
            if (plain.isRecord()) {
                return new BlockOf(plain);
            }
            if (plain.isEnum()) {
                return new Choice(List.of((Enum<?>[]) plain.getEnumConstants()));
            }
        }
        throw new IllegalArgumentException("a configuration record must not hold a " + type.getTypeName());
    }

    /** The plain types by the class that holds them. */
    Map<Class<?>, Plain> PLAIN = Map.of(
            String.class, Plain.TEXT,
            Literal.class, Plain.LITERAL,
            Object.class, Plain.VALUE,
            int.class, Plain.NUMBER,
            boolean.class, Plain.FLAG,
            Duration.class, Plain.DURATION,
            Size.class, Plain.SIZE,
            Percent.class, Plain.PERCENT,
            Path.class, Plain.PATH,
            URI.class, Plain.ADDRESS);
}
