package io.glyphgate.spi;

/**
 * The caller's fault. The client gets status 400 with this message and the path of the field.
 *
 * @since 1.0
 */
public final class InvalidRequestException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final String param;

    /**
     * A refusal.
     *
     * @param param the path of the field, for example {@code sampling_params.detokenize}; empty if no field is to blame
     * @param message what is wrong and what to do about it
     */
    public InvalidRequestException(String param, String message) {
        super(message, null, false, false);
        this.param = param;
    }

    /**
     * The path of the field.
     *
     * @return empty if no field is to blame
     */
    public String param() {
        return param;
    }
}
