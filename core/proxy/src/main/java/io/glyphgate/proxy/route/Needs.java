package io.glyphgate.proxy.route;

import io.glyphgate.spi.OutputModeProvider;
import io.glyphgate.spi.OutputModeProvider.Need;
import java.util.Set;

/**
 * What a request needs of the pool that serves it.
 *
 * @param mode its output mode
 * @param needs what the mode needs
 * @param verbatim whether the mode's answer is the server's own
 * @param stream whether the answer is a stream
 * @param stopStrings whether stop strings must be matched
 */
public record Needs(String mode, Set<Need> needs, boolean verbatim, boolean stream, boolean stopStrings) {
    /** The needs of a mode for a request. */
    public static Needs of(OutputModeProvider mode, boolean stream, boolean stopStrings) {
        return new Needs(mode.name(), mode.needs(), mode.verbatim(), stream, stopStrings);
    }
}
