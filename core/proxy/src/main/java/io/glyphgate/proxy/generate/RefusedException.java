package io.glyphgate.proxy.generate;

import io.glyphgate.proxy.wire.Failure;
import java.time.Duration;
import java.util.regex.Pattern;

/** A server refused what it was asked. */
public final class RefusedException extends RuntimeException {
    private static final long serialVersionUID = 1;
    private static final Pattern SECONDS = Pattern.compile("[0-9]{1,6}");

    private final transient ServerRefusal refusal;

    RefusedException(ServerRefusal refusal) {
        super("the server answered " + refusal.status(), null, false, false);
        this.refusal = refusal;
    }

    /** The server's status. */
    public int status() {
        return refusal.status();
    }

    /** Whether it is JSON that can be passed on as it is. */
    public boolean isJson() {
        return refusal.json();
    }

    /** The server's answer as it came. */
    public byte[] body() {
        return refusal.body();
    }

    /** What the server says, to be told by others. What is no JSON is not shown, because it may tell what nobody should see. */
    public Failure failure() {
        if (!refusal.json()) {
            return Failure.of(502, "upstream-bad-answer", "", "The server answered with status " + refusal.status() + ".");
        }
        Failure said = Failure.ofServer(refusal.status(), refusal.body(), 0, refusal.body().length);
        return refusal.retryAfter()
                .filter(value -> SECONDS.matcher(value).matches())
                .map(value -> Failure.passing(
                        said.status(), said.slug(), said.message(), Duration.ofSeconds(Integer.parseInt(value))))
                .orElse(said);
    }
}
