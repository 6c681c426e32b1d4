package io.glyphgate.spi;

import java.util.Map;

/**
 * A function that the caller offers to the model. Source: an entry of {@code tools} in a chat request.
 *
 * @since 1.0
 */
public interface Tool {
    /**
     * The name of the function.
     *
     * @return the name, never empty
     */
    String name();

    /**
     * The JSON Schema of the parameters.
     *
     * @return maps, lists, strings, {@link Number}s of any class, booleans and, inside, nulls, as JSON has them; empty if the
     *     caller gave none
     */
    Map<String, Object> parameters();

    /**
     * Whether the arguments must follow the schema to the letter.
     *
     * @return {@code strict} of the function; false by default
     */
    default boolean strict() {
        return false;
    }

    /**
     * A function for tests.
     *
     * @param name its name
     * @param parameters the JSON Schema of its parameters
     * @return the function
     */
    static Tool of(String name, Map<String, Object> parameters) {
        record Fixed(String name, Map<String, Object> parameters) implements Tool {}
        return new Fixed(name, parameters);
    }
}
