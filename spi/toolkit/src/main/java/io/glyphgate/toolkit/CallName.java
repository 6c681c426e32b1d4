package io.glyphgate.toolkit;

import java.util.ArrayList;
import java.util.List;

/**
 * How the name of a call stands behind its marker.
 *
 * @param ends what ends the name
 * @param stops what ends it too, but belongs to what follows it
 * @param idMark what stands between the name and an ID that the model writes; empty if it writes none
 * @param names how the name is written
 */
public record CallName(List<String> ends, List<String> stops, String idMark, CallFormat.Names names) {
    /** Of a call whose arguments hold the name. */
    public static final CallName NONE = new CallName(List.of(), List.of(), "", CallFormat.Names.PLAIN);

    /** Copies the lists. */
    public CallName {
        ends = List.copyOf(ends);
        stops = List.copyOf(stops);
    }

    /** All that may follow a name. */
    List<String> followers() {
        List<String> all = new ArrayList<>(ends);
        all.addAll(stops);
        if (!idMark.isEmpty()) {
            all.add(idMark);
        }
        return all;
    }

    List<Mark> marks() {
        List<Mark> marks = new ArrayList<>(CallFormat.marks(ends, Mark.Role.NAME_CLOSE));
        marks.addAll(CallFormat.marks(stops, Mark.Role.NAME_STOP));
        if (!idMark.isEmpty()) {
            marks.add(Mark.of(idMark, Mark.Role.ID_OPEN));
        }
        return marks;
    }
}
