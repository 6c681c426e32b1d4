package io.glyphgate.toolkit;

import java.util.List;

/** How a family writes the arguments of a call. */
public sealed interface Arguments {
    /**
     * The call is a JSON object that holds the name and the arguments among its members, in any order. The arguments
     * are the model's own characters.
     *
     * @param nameKey the member with the name, for example {@code name}
     * @param argumentKeys members that may hold the arguments, for example {@code arguments}; the first in the text
     *     counts
     * @param unquoted whether arguments that are a JSON string are the text of that string, and {@code null} is none
     */
    record JsonCall(String nameKey, List<String> argumentKeys, boolean unquoted) implements Arguments {
        /** Copies the list. */
        public JsonCall {
            argumentKeys = List.copyOf(argumentKeys);
        }

        /**
         * A call whose arguments are passed on whatever JSON they are.
         *
         * @param nameKey the member with the name
         * @param argumentKeys members that may hold the arguments
         */
        public JsonCall(String nameKey, List<String> argumentKeys) {
            this(nameKey, argumentKeys, false);
        }
    }

    /**
     * Each argument stands between tags, its value as bare text that the function's schema gives a type. A value that
     * can only be a string is passed on as it arrives; any other is held to its end.
     *
     * @param keyOpen what stands before the name of a parameter, for example {@code <parameter=}
     * @param keyClose what stands after it
     * @param valueOpen what stands between that and the value, after any white space; empty if nothing does
     * @param valueClose what ends the value; it counts only where what may follow a value follows it
     * @param spaced whether spaces may stand between the words and signs of a tag
     * @param space which white space around a value belongs to its tags
     * @param scalars whether only parameters of one type, a number or a boolean, are no strings
     * @param attributes whether the name may stand in quotes, and attributes behind it; {@code string="true"} makes the
     *     value a string, {@code string="false"} JSON, as far as the schema allows it
     * @param wrappers names under which a model may put all the arguments as one object, if the function has no such
     *     parameter
     */
    record Tagged(
            String keyOpen,
            String keyClose,
            String valueOpen,
            String valueClose,
            boolean spaced,
            Space space,
            boolean scalars,
            boolean attributes,
            List<String> wrappers)
            implements Arguments {
        /** Which white space around a value belongs to its tags. */
        public enum Space {
            /** None. */
            NONE,
            /**
             * One newline on each side: the tags stand on lines of their own. Where a value's end was forgotten, the
             * next tag counts only at the start of a line.
             */
            LINES,
            /** All of it. */
            ALL
        }

        /** Copies the list. */
        public Tagged {
            wrappers = List.copyOf(wrappers);
        }

        /**
         * Tags on lines of their own.
         *
         * @param keyOpen what stands before the name of a parameter
         * @param keyClose what stands after it
         * @param valueClose what ends the value
         * @param spaced whether spaces may stand between the words and signs of a tag
         */
        public Tagged(String keyOpen, String keyClose, String valueClose, boolean spaced) {
            this(keyOpen, keyClose, "", valueClose, spaced, Space.LINES, false, false, List.of());
        }
    }

    /**
     * The arguments are one JSON value behind the name. They are the model's own characters; {@code {}} if none are
     * there.
     */
    record JsonValue() implements Arguments {}

    /**
     * Calls are JSON objects as those of {@link JsonCall}: an array of them, one, or several with semicolons between
     * them. A call's marker may end with the first bracket or brace.
     *
     * @param call how each of them is written
     */
    record JsonCalls(JsonCall call) implements Arguments {}

    /**
     * The group is a list of Python calls, each with its name and keyword arguments. Values are literals of Python or
     * JSON; a string is passed on as it arrives.
     *
     * @param separator the character between two calls; empty if white space is enough
     */
    record PythonCalls(String separator) implements Arguments {}

    /**
     * The arguments are keys and values without quotes, {@code key:value,key:value}, typed by the function's schema;
     * strings stand between markers.
     *
     * @param quote the marker on both sides of a string
     */
    record KeyValues(String quote) implements Arguments {}

    /** Whether the arguments hold the name of the call. */
    default boolean named() {
        return switch (this) {
            case JsonCall ignored -> true;
            case JsonCalls ignored -> true;
            case PythonCalls ignored -> true;
            case JsonValue ignored -> false;
            case Tagged ignored -> false;
            case KeyValues ignored -> false;
        };
    }
}
