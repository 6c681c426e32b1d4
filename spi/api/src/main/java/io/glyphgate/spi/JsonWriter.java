package io.glyphgate.spi;

/**
 * Writes JSON piece by piece. The host escapes text and puts commas and colons.
 *
 * @since 1.0
 */
public interface JsonWriter {
    /**
     * Opens an object.
     *
     * @return this
     */
    JsonWriter beginObject();

    /**
     * Closes the object opened last.
     *
     * @return this
     */
    JsonWriter endObject();

    /**
     * Opens an array.
     *
     * @return this
     */
    JsonWriter beginArray();

    /**
     * Closes the array opened last.
     *
     * @return this
     */
    JsonWriter endArray();

    /**
     * Writes the name of the next member of an object.
     *
     * @param name the name
     * @return this
     */
    JsonWriter name(String name);

    /**
     * Writes a string.
     *
     * @param value its characters, unescaped
     * @return this
     */
    JsonWriter string(CharSequence value);

    /**
     * Writes a whole number.
     *
     * @param value the number
     * @return this
     */
    JsonWriter number(long value);

    /**
     * Writes a number.
     *
     * @param value the number; must be finite
     * @return this
     */
    JsonWriter number(double value);

    /**
     * Writes a truth value.
     *
     * @param value the value
     * @return this
     */
    JsonWriter bool(boolean value);

    /**
     * Writes null.
     *
     * @return this
     */
    JsonWriter nullValue();
}
