package io.glyphgate.proxy.pool;

import java.util.Locale;

/** How a server fails at a request, before the first byte of its answer, or at all of them. */
public enum Trouble {
    /** It took no connection. */
    NO_CONNECTION("took no connection"),
    /** It broke the connection, or sent what is no HTTP. */
    BROKEN("broke connections"),
    /** It did not answer in time. */
    TIMEOUT("did not answer in time"),
    /** It answered with a status that says that it failed. */
    SERVER_ERROR("answered with errors of its own"),
    /** Streams are open on it, and no byte came on any of them. */
    NO_PROGRESS("sends nothing on any of its streams");

    private final String text;

    Trouble(String text) {
        this.text = text;
    }

    /** What meters call it. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** What the log says of a server: it ... */
    String text() {
        return text;
    }
}
