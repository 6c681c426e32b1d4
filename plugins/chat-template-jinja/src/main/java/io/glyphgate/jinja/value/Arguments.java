package io.glyphgate.jinja.value;

import java.util.List;
import java.util.Map;

/**
 * What a call passes.
 *
 * @param positional by place
 * @param keywords by name, in order
 */
public record Arguments(List<Object> positional, Map<String, Object> keywords) {
    /** No arguments. */
    public static final Arguments NONE = new Arguments(List.of(), Map.of());
}
