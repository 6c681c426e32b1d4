package io.glyphgate.proxy.route;

import io.glyphgate.spi.OutputModeProvider;
import io.glyphgate.spi.OutputModeProvider.Need;
import java.util.Set;

/**
 * What a request needs of the pool that serves it.
 *
 * @param mode its output mode, or what the door gives
 * @param needs what the mode needs
 * @param verbatim whether the mode's answer is the server's own
 * @param stream whether the answer is a stream
 * @param stopStrings whether stop strings must be matched
 * @param prompt where its prompt comes from
 */
public record Needs(
        String mode, Set<Need> needs, boolean verbatim, boolean stream, boolean stopStrings, Prompt prompt) {
    /** Where the tokens of a prompt come from. */
    public enum Prompt {
        /** From the client. */
        CLIENT,
        /** From the proxy, which makes them of the client's texts. */
        PROXY,
        /** From the proxy, and no server is asked for what the client asks for. */
        PROXY_ONLY,
        /** From a server that takes the client's texts: the proxy cannot make them. */
        SERVER
    }

    /** The needs of a mode for a request at tokens. */
    public static Needs of(OutputModeProvider mode, boolean stream, boolean stopStrings) {
        return new Needs(mode.name(), mode.needs(), mode.verbatim(), stream, stopStrings, Prompt.CLIENT);
    }
}
