package io.glyphgate.jinja.builtin;

import io.glyphgate.jinja.TemplateException;
import io.glyphgate.jinja.value.Arguments;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The name and the parameters of a function, written {@code "name(first, second, optional=)"}. {@code *rest} at the end takes
 * whatever else comes.
 */
final class Signature {
    private final String name;
    private final List<String> parameters = new ArrayList<>();
    private final boolean rest;
    private int required;

    Signature(String text) {
        int open = text.indexOf('(');
        name = text.substring(0, open);
        String inside = text.substring(open + 1, text.length() - 1);
        rest = inside.endsWith("*rest");
        for (String parameter : inside.split(",", -1)) {
            String trimmed = parameter.trim();
            if (trimmed.endsWith("=")) {
                parameters.add(trimmed.substring(0, trimmed.length() - 1));
            } else if (!trimmed.isEmpty() && !trimmed.startsWith("*")) {
                parameters.add(trimmed);
                required++;
            }
        }
    }

    String name() {
        return name;
    }

    /** What a call passes, by parameter; null where it passes nothing. */
    Inputs bind(Arguments arguments) {
        List<Object> positional = arguments.positional();
        @Nullable Object[] values = new Object[parameters.size()];
        if (positional.size() > parameters.size() && !rest) {
            throw new TemplateException(name + "() takes " + (required == parameters.size() ? "" : "at most ")
                    + parameters.size() + " positional arguments but " + positional.size() + " were given");
        }
        for (int i = 0; i < Math.min(positional.size(), values.length); i++) {
            values[i] = positional.get(i);
        }
        for (Map.Entry<String, Object> keyword : arguments.keywords().entrySet()) {
            int index = parameters.indexOf(keyword.getKey());
            if (index >= 0) {
                if (values[index] != null) {
                    throw new TemplateException(
                            name + "() got multiple values for argument '" + keyword.getKey() + "'");
                }
                values[index] = keyword.getValue();
            } else if (!rest) {
                throw new TemplateException(
                        name + "() got an unexpected keyword argument '" + keyword.getKey() + "'");
            }
        }
        for (int i = 0; i < required; i++) {
            if (values[i] == null) {
                throw new TemplateException(
                        name + "() missing 1 required positional argument: '" + parameters.get(i) + "'");
            }
        }
        return new Inputs(values, arguments);
    }
}
