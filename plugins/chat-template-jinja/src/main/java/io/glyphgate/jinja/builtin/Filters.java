package io.glyphgate.jinja.builtin;

import io.glyphgate.jinja.value.Function;
import org.jspecify.annotations.Nullable;

/** The filters, which stand after {@code |}. */
public final class Filters {
    private static final Functions FILTERS = new Functions()
            .include(TextFilters.FILTERS)
            .include(NumberFilters.FILTERS)
            .include(ListFilters.FILTERS)
            .include(SelectFilters.FILTERS);

    private Filters() {}

    /**
     * A filter by its name: a function whose first argument is what it works on.
     *
     * @return null if there is none
     */
    public static @Nullable Function find(String name) {
        return FILTERS.find(name);
    }
}
