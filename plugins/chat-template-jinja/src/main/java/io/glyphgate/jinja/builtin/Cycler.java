package io.glyphgate.jinja.builtin;

import io.glyphgate.jinja.TemplateException;
import io.glyphgate.jinja.value.Attributed;
import io.glyphgate.jinja.value.Function;
import io.glyphgate.jinja.value.None;
import io.glyphgate.jinja.value.Tuple;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What {@code cycler(...)} makes: gives its values one after the other, again and again. */
final class Cycler implements Attributed {
    private final List<Object> values;
    private int at;

    Cycler(List<Object> values) {
        if (values.isEmpty()) {
            throw new TemplateException("at least one item has to be provided");
        }
        this.values = values;
    }

    @Override
    public @Nullable Object attribute(String name) {
        return switch (name) {
            case "current" -> values.get(at);
            case "items" -> new Tuple(values);
            case "pos" -> (long) at;
            case "next" -> (Function) (arguments, budget) -> {
                Object value = values.get(at);
                at = (at + 1) % values.size();
                return value;
            };
            case "reset" -> (Function) (arguments, budget) -> {
                at = 0;
                return None.NONE;
            };
            default -> null;
        };
    }

    @Override
    public String type() {
        return "jinja2.utils.Cycler";
    }
}
