package io.glyphgate.testkit;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What parsers made of an output.
 *
 * @param reasoning all reasoning, possibly empty
 * @param content all content, possibly empty
 * @param calls the calls in order
 */
public record Parsed(String reasoning, String content, List<Call> calls) {
    /** Copies the list. */
    public Parsed {
        calls = List.copyOf(calls);
    }

    /**
     * A tool call.
     *
     * @param name the name of the function
     * @param id the ID that the model wrote; null if it wrote none
     * @param arguments the JSON text of the arguments, as far as it came
     */
    public record Call(String name, @Nullable String id, String arguments) {}
}
