package io.glyphgate.jinja.builtin;

import io.glyphgate.jinja.value.Attributed;
import io.glyphgate.jinja.value.BraceFormat;
import io.glyphgate.jinja.value.Dict;
import io.glyphgate.jinja.value.Function;
import io.glyphgate.jinja.value.Subscripts;
import io.glyphgate.jinja.value.Text;
import io.glyphgate.jinja.value.Types;
import io.glyphgate.jinja.value.Undefined;
import java.math.BigInteger;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** {@code object.name} and {@code object[key]} as the sandbox of Jinja has them: each falls back to the other. */
public final class Access {
    /** Python's own attributes, which every object has and no template may touch. */
    private static final Set<String> INTERNAL = Set.of(
            "__class__", "__contains__", "__delattr__", "__dict__", "__dir__", "__doc__", "__eq__", "__format__",
            "__ge__", "__getattribute__", "__getitem__", "__gt__", "__hash__", "__init__", "__init_subclass__",
            "__iter__", "__le__", "__len__", "__lt__", "__module__", "__ne__", "__new__", "__reduce__",
            "__reduce_ex__", "__repr__", "__setattr__", "__sizeof__", "__str__", "__subclasshook__");

    /** The same for the fields of {@code str.format}. */
    static final BraceFormat.Access FORMAT = new BraceFormat.Access() {
        @Override
        public Object attribute(Object object, String name) {
            return Access.attribute(object, name);
        }

        @Override
        public Object item(Object object, Object key) {
            return Access.item(object, key);
        }
    };

    private Access() {}

    /** {@code object.name}: an attribute first, then an item. */
    public static Object attribute(Object object, String name) {
        if (object instanceof Undefined undefined && !isInternal(name)) {
            throw undefined.failure();
        }
        Object attribute = find(object, name);
        if (attribute != null) {
            return attribute;
        }
        Object item = object instanceof Dict dict ? dict.find(name) : null;
        return item == null ? Undefined.member(object, name) : item;
    }

    /** {@code object[key]}: an item first, then an attribute. */
    public static Object item(Object object, Object key) {
        Object item = object instanceof Dict && !isKey(key) ? null : Subscripts.item(object, key);
        if (item == null && Types.isText(key)) {
            item = find(object, Text.of(key));
        }
        return item == null ? Undefined.member(object, key) : item;
    }

    /** Whether a value can be a key at all: for others a dict has nothing, which is no failure here. */
    private static boolean isKey(Object key) {
        return Types.isText(key) || Types.isNumber(key) || !(key instanceof Dict || key instanceof List<?>);
    }

    /** An attribute; an undefined value if the sandbox does not give it out; null if there is none. */
    static @Nullable Object find(Object object, String name) {
        if (isInternal(name) || CollectionMethods.changes(object, name)) {
            return Undefined.unsafe(object, name);
        }
        return switch (object) {
            case String text -> TextMethods.find(text, name);
            case Attributed attributed -> attributed.attribute(name);
            case Double number when name.equals("is_integer") -> method(number == Math.rint(number));
            case Long number when name.equals("bit_length") ->
                method((long) BigInteger.valueOf(number).abs().bitLength());
            default -> Types.isText(object) ? TextMethods.find(object, name) : CollectionMethods.find(object, name);
        };
    }

    private static Function method(Object result) {
        return (arguments, budget) -> result;
    }

    private static boolean isInternal(String name) {
        return INTERNAL.contains(name);
    }
}
