package io.glyphgate.proxy.wire;

import java.util.List;
import java.util.stream.Collectors;

/** A body whose shape is wrong. Holds every fault that was found, the first at the front. */
public final class InvalidBodyException extends RuntimeException {
    private static final long serialVersionUID = 1;
    private static final int MOST_TOLD = 10;

    private final transient List<Invalid> faults;

    InvalidBodyException(List<Invalid> faults) {
        super(
                faults.stream().limit(MOST_TOLD).map(InvalidBodyException::describe).collect(Collectors.joining("; ")),
                null,
                false,
                false);
        this.faults = List.copyOf(faults);
    }

    private static String describe(Invalid fault) {
        return place(fault) + ": " + fault.message() + (fault.reason().isEmpty() ? "" : ": " + fault.reason());
    }

    /** The place of the first fault, steps joined by dots; without the names of the forms that a body may have. */
    public String param() {
        return place(faults.getFirst());
    }

    private static String place(Invalid fault) {
        return fault.path().stream()
                .map(String::valueOf)
                .filter(step -> step.indexOf('[') < 0)
                .collect(Collectors.joining("."));
    }

    /** The faults as FastAPI tells them: {@code {"detail": [...]}}. */
    public byte[] toDetail() {
        JsonOut out = new JsonOut();
        out.beginObject().name("detail").beginArray();
        faults.forEach(fault -> fault.write(out));
        return out.endArray().endObject().toByteArray();
    }
}
