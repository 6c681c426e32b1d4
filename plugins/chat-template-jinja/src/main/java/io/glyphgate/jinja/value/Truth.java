package io.glyphgate.jinja.value;

import java.math.BigInteger;
import java.util.List;

/** What Python takes for true. */
public final class Truth {
    private Truth() {}

    /** Whether a value counts as true: not empty, not 0, not None, not missing. */
    public static boolean of(Object value) {
        return switch (value) {
            case Boolean truth -> truth;
            case None none -> false;
            case Undefined undefined -> false;
            case Long integer -> integer != 0;
            case BigInteger integer -> true;
            case Double number -> number != 0;
            case String text -> !text.isEmpty();
            case Markup markup -> !markup.text().isEmpty();
            case List<?> list -> !list.isEmpty();
            case Tuple tuple -> !tuple.items().isEmpty();
            case Dict dict -> dict.size() > 0;
            case DictView view -> view.dict().size() > 0;
            case Range range -> range.length() > 0;
            default -> true;
        };
    }
}
