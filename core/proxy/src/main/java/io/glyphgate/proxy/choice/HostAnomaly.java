package io.glyphgate.proxy.choice;

/** The kinds of anomalies that the host finds itself, whatever the parser. */
public enum HostAnomaly {
    /** A marker of a parser reached the client as content. */
    MARKER_IN_CONTENT("marker-in-content"),
    /** A call of a function that the caller does not offer. */
    UNKNOWN_FUNCTION("unknown-function"),
    /** The arguments of a call are no JSON, or not all of one JSON value. */
    ARGUMENTS_NOT_JSON("arguments-not-json"),
    /** The arguments of a call are JSON, but not what the function's schema allows. */
    ARGUMENTS_OFF_SCHEMA("arguments-off-schema"),
    /** The parser did not tell of every character that it was given. */
    UNACCOUNTED_TEXT("unaccounted-text"),
    /** The parser threw. */
    PARSER_EXCEPTION("parser-exception");

    private final String kind;

    HostAnomaly(String kind) {
        this.kind = kind;
    }

    /** What meters and files call it. */
    public String kind() {
        return kind;
    }
}
