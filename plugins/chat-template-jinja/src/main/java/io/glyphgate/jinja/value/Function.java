package io.glyphgate.jinja.value;

import io.glyphgate.jinja.Budget;

/** Something that a template can call. */
@FunctionalInterface
public interface Function {
    /** Calls it. */
    Object call(Arguments arguments, Budget budget);
}
