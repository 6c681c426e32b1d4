package io.glyphgate.toolkit;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A description as plain values: its components by their names in kebab case, as a configuration has them. What is empty is
 * left out, but a list that a component may have or not.
 */
final class Written {
    private Written() {}

    static Map<String, Object> of(Record description) {
        Map<String, Object> values = new LinkedHashMap<>();
        for (RecordComponent component : description.getClass().getRecordComponents()) {
            Object value = component(component, description);
            if (value != null) {
                values.put(kebab(component.getName()), value);
            }
        }
        return values;
    }

    private static @Nullable Object component(RecordComponent component, Record description) {
        Object value;
        try {
            value = component.getAccessor().invoke(description);
        } catch (IllegalAccessException | InvocationTargetException e) {
            throw new IllegalStateException("the component " + component + " cannot be read", e);
        }
        if (value instanceof Optional<?> optional) {
            Type inner = ((ParameterizedType) component.getGenericType()).getActualTypeArguments()[0];
            return optional.map(present -> value(present, inner)).orElse(null);
        }
        boolean empty = value.equals("") || value.equals(List.of()) || value.equals(Map.of()) || value.equals(Set.of());
        return empty ? null : value(value, component.getGenericType());
    }

    private static Object value(Object value, Type declared) {
        return switch (value) {
            // One of several kinds says which it is.
            case Record record when declared instanceof Class<?> kind && kind.isSealed() ->
                Map.of(kebab(record.getClass().getSimpleName()), of(record));
            case Record record -> of(record);
            case Enum<?> constant -> constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
            case Set<?> set -> set.stream().sorted().toList();
            case Map<?, ?> map -> new TreeMap<>(map);
            case Collection<?> list ->
                list.stream().map(item -> value(item, item.getClass())).toList();
            default -> value;
        };
    }

    private static String kebab(String name) {
        StringBuilder kebab = new StringBuilder();
        for (int i = 0; i < name.length(); i++) {
            char letter = name.charAt(i);
            if (Character.isUpperCase(letter) && i > 0) {
                kebab.append('-');
            }
            kebab.append(Character.toLowerCase(letter));
        }
        return kebab.toString();
    }
}
