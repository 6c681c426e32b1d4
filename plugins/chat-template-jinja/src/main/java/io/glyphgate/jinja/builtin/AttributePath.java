package io.glyphgate.jinja.builtin;

import io.glyphgate.jinja.value.None;
import io.glyphgate.jinja.value.Text;
import io.glyphgate.jinja.value.Types;
import io.glyphgate.jinja.value.Undefined;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * The {@code attribute} of filters: names with dots between them, of which a number is an index.
 *
 * @param steps the names and numbers
 * @param preset what stands for an attribute that is not there; None for nothing
 */
record AttributePath(List<Object> steps, Object preset) implements UnaryOperator<Object> {
    /** The path that a filter was given; None for the item itself. */
    static AttributePath of(Object attribute, Object preset) {
        List<Object> steps = new ArrayList<>();
        if (Types.isText(attribute)) {
            for (String step : Text.of(attribute).split("\\.", -1)) {
                boolean number = !step.isEmpty() && step.length() < 10 && step.chars().allMatch(Character::isDigit);
                steps.add(number ? (Object) Long.valueOf(step) : step);
            }
        } else if (attribute != None.NONE) {
            steps.add(attribute);
        }
        return new AttributePath(steps, preset);
    }

    /** The path that a filter was given, without a preset. */
    static AttributePath of(Object attribute) {
        return of(attribute, None.NONE);
    }

    @Override
    public Object apply(Object item) {
        Object value = item;
        for (Object step : steps) {
            value = Access.item(value, step);
            if (value instanceof Undefined && preset != None.NONE) {
                value = preset;
            }
        }
        return value;
    }
}
