package io.glyphgate.proxy.wire;

/** A server's answer that has not the shape that it should have. */
public final class BadAnswerException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /**
     * An answer.
     *
     * @param message what is wrong with it
     */
    public BadAnswerException(String message) {
        super(message, null, false, false);
    }
}
