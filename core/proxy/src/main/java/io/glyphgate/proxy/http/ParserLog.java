package io.glyphgate.proxy.http;

import io.helidon.common.buffers.DataReader;
import java.util.logging.Filter;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Keeps out of the log what anybody can write into it. Helidon 4.5.0 logs a warning with its whole stack for each request line that
 * holds an illegal byte, and for each client that leaves in the middle of its head: both are clients' doing, and they are answered
 * or gone.
 */
final class ParserLog implements Filter {
    /** Kept here, because the logging library forgets loggers that nobody holds. */
    private static final Logger CONNECTIONS = Logger.getLogger("io.helidon.webserver.http1.Http1Connection");

    private final @Nullable Filter others;

    private ParserLog(@Nullable Filter others) {
        this.others = others;
    }

    /** Starts to keep it out; more than once does no more. */
    static synchronized void keepClean() {
        if (!(CONNECTIONS.getFilter() instanceof ParserLog)) {
            CONNECTIONS.setFilter(new ParserLog(CONNECTIONS.getFilter()));
        }
    }

    @Override
    public boolean isLoggable(LogRecord record) {
        Throwable cause = record.getThrown() == null ? null : record.getThrown().getCause();
        return !isOfClient(cause) && (others == null || others.isLoggable(record));
    }

    /** Whether Helidon's parser of requests has broken on what a client sent. */
    private static boolean isOfClient(@Nullable Throwable cause) {
        if (cause instanceof IllegalArgumentException || cause instanceof DataReader.InsufficientDataAvailableException) {
            for (StackTraceElement frame : cause.getStackTrace()) {
                if (frame.getClassName().equals("io.helidon.webserver.http1.Http1Prologue")
                        || frame.getClassName().equals("io.helidon.webserver.http1.Http1Headers")) {
                    return true;
                }
            }
        }
        return false;
    }
}
