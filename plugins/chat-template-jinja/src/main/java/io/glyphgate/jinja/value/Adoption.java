package io.glyphgate.jinja.value;

import io.glyphgate.jinja.TemplateException;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Values of the JDK, as JSON has them, taken over as values of a template. */
public final class Adoption {
    private static final int MAX_DEPTH = 500;

    private Adoption() {}

    /**
     * A copy of a value; the original is left alone.
     *
     * @param value a String, Boolean, Integer, Long, BigInteger, Double, List, Map from String, or null
     * @throws IllegalArgumentException for any other type
     */
    public static Object adopt(@Nullable Object value) {
        return adopt(value, MAX_DEPTH);
    }

    private static Object adopt(@Nullable Object value, int levelsLeft) {
        if (levelsLeft == 0) {
            throw new TemplateException("the variables are nested more than " + MAX_DEPTH + " levels deep");
        }
        return switch (value) {
            case null -> None.NONE;
            case String text -> text;
            case Boolean truth -> truth;
            case Integer integer -> Long.valueOf(integer);
            case Long integer -> integer;
            case BigInteger integer -> Numbers.shrink(integer);
            case Double number -> number;
            case List<?> list -> {
                List<Object> items = new ArrayList<>(list.size());
                for (Object item : list) {
                    items.add(adopt(item, levelsLeft - 1));
                }
                yield items;
            }
            case Map<?, ?> map -> {
                Dict dict = new Dict();
                map.forEach((key, item) -> {
                    if (!(key instanceof String name)) {
                        throw new IllegalArgumentException("a map from something else than text: " + key);
                    }
                    dict.put(name, adopt(item, levelsLeft - 1));
                });
                yield dict;
            }
            default -> throw new IllegalArgumentException(
                    "a value of a type that JSON does not have: " + value.getClass().getName());
        };
    }
}
