package io.glyphgate.jinja.value;

import org.jspecify.annotations.Nullable;

/** An object of Jinja's own with attributes, such as {@code loop}. */
public interface Attributed {
    /**
     * The value of an attribute.
     *
     * @return null if there is none of that name
     */
    @Nullable Object attribute(String name);

    /** The name of Jinja's class, with its module. */
    String type();
}
