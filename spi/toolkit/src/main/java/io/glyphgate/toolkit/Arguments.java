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
     */
    record JsonCall(String nameKey, List<String> argumentKeys) implements Arguments {
        /** Copies the list. */
        public JsonCall {
            argumentKeys = List.copyOf(argumentKeys);
        }
    }

    /**
     * Each argument stands between tags, its value as bare text that the function's schema gives a type. A value that
     * can only be a string is passed on as it arrives; any other is held to its end. One newline after the value's
     * start and one before its end belong to the tags.
     *
     * @param keyOpen what stands before the name of a parameter, for example {@code <parameter=}
     * @param keyClose what stands after it
     * @param valueClose what ends the value; it counts only where what may follow a value follows it
     * @param spaced whether spaces may stand between the words and signs of a tag
     */
    record Tagged(String keyOpen, String keyClose, String valueClose, boolean spaced) implements Arguments {}

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
}
