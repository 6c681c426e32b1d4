package io.glyphgate.spi;

import java.util.List;

/**
 * What one event adds to a chat message. The caller's wishes are already applied: calls that are not wanted, reasoning that
 * is not included, and calls beyond the first when parallel calls are off, do not appear; every call has an ID.
 *
 * @since 1.0
 */
public interface MessageDelta {
    /**
     * New reasoning.
     *
     * @return possibly empty
     */
    CharSequence reasoning();

    /**
     * New content.
     *
     * @return possibly empty
     */
    CharSequence content();

    /**
     * New calls and new pieces of the arguments of calls, at most one entry a call.
     *
     * @return in the order of the calls; possibly empty
     */
    List<ToolCallDelta> toolCalls();

    /**
     * Whether the finish reason {@code stop} means that the model waits for the results of calls: at least one call was made
     * in this choice so far, and the caller did not name the function to call.
     *
     * @return whether a chat answer would say {@code tool_calls}
     */
    boolean waitsForToolResults();

    /**
     * Part of one call.
     *
     * @since 1.0
     */
    interface ToolCallDelta {
        /**
         * The number of the call in its message.
         *
         * @return 0, 1, ...
         */
        int index();

        /**
         * Whether this is the first part of the call, the one that carries the ID and the name.
         *
         * @return true once a call
         */
        boolean opens();

        /**
         * The ID of the call.
         *
         * @return never empty, the same in all parts
         */
        String id();

        /**
         * The name of the function.
         *
         * @return the same in all parts
         */
        String name();

        /**
         * The next piece of the JSON text of the arguments.
         *
         * @return possibly empty
         */
        CharSequence arguments();
    }
}
