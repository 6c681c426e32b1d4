package io.glyphgate.jinja.builtin;

import io.glyphgate.jinja.TemplateException;
import io.glyphgate.jinja.value.Arguments;
import io.glyphgate.jinja.value.None;
import io.glyphgate.jinja.value.Numbers;
import io.glyphgate.jinja.value.Text;
import io.glyphgate.jinja.value.Truth;
import io.glyphgate.jinja.value.Types;
import io.glyphgate.jinja.value.Undefined;
import org.jspecify.annotations.Nullable;

/**
 * What a call passed to a function, by parameter.
 *
 * @param values one per parameter; null where nothing was passed
 * @param all everything that was passed, as it was written
 */
record Inputs(@Nullable Object[] values, Arguments all) {
    /** A value; one that was not passed is None. */
    Object value(int index) {
        Object value = values[index];
        return value == null ? None.NONE : value;
    }

    /** A value, or another one if it was not passed. */
    Object value(int index, Object preset) {
        Object value = values[index];
        return value == null ? preset : value;
    }

    /** Whether a value was passed that is not None. */
    boolean has(int index) {
        return value(index) != None.NONE;
    }

    /** A truth value; false if it was not passed. */
    boolean flag(int index) {
        return Truth.of(value(index, false));
    }

    /** A whole number that fits an index. */
    long number(int index, long preset) {
        Object value = values[index];
        return value == null ? preset : Numbers.index(value);
    }

    /** A text, which the value has to be. */
    String text(int index) {
        Object value = value(index);
        if (value instanceof Undefined undefined) {
            throw undefined.failure();
        }
        if (!Types.isText(value)) {
            throw new TemplateException("must be str, not " + Types.name(value));
        }
        return Text.of(value);
    }
}
