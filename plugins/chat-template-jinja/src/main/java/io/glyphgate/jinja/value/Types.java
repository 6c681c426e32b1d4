package io.glyphgate.jinja.value;

import java.math.BigInteger;
import java.util.List;

/** The names of Python's types, as messages show them. */
public final class Types {
    private Types() {}

    /** The name of the type of a value, without its module. */
    public static String name(Object value) {
        return switch (value) {
            case None none -> "NoneType";
            case Boolean truth -> "bool";
            case Long integer -> "int";
            case BigInteger integer -> "int";
            case Double number -> "float";
            case String text -> "str";
            case Markup markup -> "Markup";
            case List<?> list -> "list";
            case Tuple tuple -> "tuple";
            case Dict dict -> "dict";
            case DictView view -> view.type();
            case Range range -> "range";
            case Generator generator -> generator.type();
            case Undefined undefined -> "Undefined";
            case Attributed object -> object.type().substring(object.type().lastIndexOf('.') + 1);
            default -> "function";
        };
    }

    /** What Jinja calls a value that lacks something. */
    static String longName(Object value) {
        return switch (value) {
            case None none -> "None";
            case Attributed object -> object.type() + " object";
            case Markup markup -> "markupsafe.Markup object";
            default -> name(value) + " object";
        };
    }

    /** Whether a value is an integer, a truth value included. */
    public static boolean isInteger(Object value) {
        return value instanceof Long || value instanceof BigInteger || value instanceof Boolean;
    }

    /** Whether a value is a number, a truth value included. */
    public static boolean isNumber(Object value) {
        return isInteger(value) || value instanceof Double;
    }

    /** Whether a value is text. */
    public static boolean isText(Object value) {
        return value instanceof String || value instanceof Markup;
    }
}
