package io.glyphgate.proxy.route;

/** A request that no pool can serve, or not the pool that it asks for. The client's fault. */
public final class MisroutedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final int status;
    private final String slug;
    private final String param;

    /**
     * A refusal.
     *
     * @param status the HTTP status
     * @param slug a stable name of the reason
     * @param param the field to blame; empty if none is
     * @param message what is wrong and what to do
     */
    MisroutedException(int status, String slug, String param, String message) {
        super(message, null, false, false);
        this.status = status;
        this.slug = slug;
        this.param = param;
    }

    /** The HTTP status. */
    public int status() {
        return status;
    }

    /** A stable name of the reason. */
    public String slug() {
        return slug;
    }

    /** The field to blame; empty if none is. */
    public String param() {
        return param;
    }
}
