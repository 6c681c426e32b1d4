package io.glyphgate.proxy.format;

import io.glyphgate.proxy.config.KeyPath;
import io.glyphgate.proxy.config.Literal;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Finds where in a description a marker stands. */
final class Markers {
    private final Literal marker;
    private final List<KeyPath> paths = new ArrayList<>();

    private Markers(String marker) {
        this.marker = new Literal(marker);
    }

    /** The keys whose value is the marker, in order; the description's own if there is none. */
    static List<KeyPath> paths(Record description, KeyPath path, String marker) {
        Markers markers = new Markers(marker);
        markers.look(description, path);
        return markers.paths.isEmpty() ? List.of(path) : markers.paths;
    }

    private void look(Object value, KeyPath path) {
        if (value.equals(marker)) {
            paths.add(path);
            return;
        }
        switch (value) {
            case Optional<?> optional -> optional.ifPresent(present -> look(present, path));
            case List<?> list -> {
                for (int i = 0; i < list.size(); i++) {
                    look(list.get(i), path.item(i));
                }
            }
            case Record block -> {
                for (RecordComponent component : block.getClass().getRecordComponents()) {
                    look(read(component, block), path.child(KeyPath.keyOf(component.getName())));
                }
            }
            default -> {} // a value that holds no marker
        }
    }

    private static Object read(RecordComponent component, Record block) {
        try {
            return component.getAccessor().invoke(block);
        } catch (IllegalAccessException | InvocationTargetException e) {
            throw new IllegalStateException("the component " + component + " cannot be read", e);
        }
    }
}
