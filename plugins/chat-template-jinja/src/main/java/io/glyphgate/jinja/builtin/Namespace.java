package io.glyphgate.jinja.builtin;

import io.glyphgate.jinja.value.Attributed;
import io.glyphgate.jinja.value.Dict;
import org.jspecify.annotations.Nullable;

/** What {@code namespace(...)} makes: the only object whose attributes a template can set. */
public final class Namespace implements Attributed {
    private final Dict attributes;

    Namespace(Dict attributes) {
        this.attributes = attributes;
    }

    @Override
    public @Nullable Object attribute(String name) {
        return attributes.find(name);
    }

    /** Sets an attribute. */
    public void set(String name, Object value) {
        attributes.put(name, value);
    }

    @Override
    public String type() {
        return "jinja2.utils.Namespace";
    }

    @Override
    public String toString() {
        return "<Namespace>";
    }
}
