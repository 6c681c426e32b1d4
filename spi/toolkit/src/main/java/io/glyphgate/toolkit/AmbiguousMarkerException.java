package io.glyphgate.toolkit;

/** One marker of a description would mean two things in the same place of the output. */
public final class AmbiguousMarkerException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    private final String marker;

    AmbiguousMarkerException(Mark one, Mark other) {
        super("the literal " + one.text() + " means both " + one.role() + " and " + other.role() + " in the same state");
        this.marker = one.text();
    }

    /**
     * The marker.
     *
     * @return its text
     */
    public String marker() {
        return marker;
    }
}
