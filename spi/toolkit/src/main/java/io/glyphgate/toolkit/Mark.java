package io.glyphgate.toolkit;

import java.util.ArrayList;
import java.util.List;

/**
 * A literal that a state looks for, and what it means there.
 *
 * @param text the literal
 * @param role what it means
 * @param followedBy what must follow after any white space for the literal to count; empty if it counts alone
 * @param endFollows whether the end of the output may follow instead
 * @param startsLine whether it counts only at the start of a line
 */
record Mark(String text, Role role, List<String> followedBy, boolean endFollows, boolean startsLine) {
    enum Role {
        REASONING_OPEN,
        REASONING_CLOSE,
        GROUP_OPEN,
        GROUP_CLOSE,
        CALL_OPEN,
        /** Tells behind a marker what kind of call it opens. */
        CALL_START,
        CALL_CLOSE,
        NAME_CLOSE,
        /** Ends the name, and is looked at again behind it. */
        NAME_STOP,
        /** Stands between the name of a call and its ID. */
        ID_OPEN,
        KEY_OPEN,
        KEY_CLOSE,
        VALUE_OPEN,
        VALUE_CLOSE,
        HEADER_OPEN,
        BODY_OPEN,
        BODY_CLOSE
    }

    static Mark of(String text, Role role) {
        return new Mark(text, role, List.of(), false, false);
    }

    static Mark guarded(String text, Role role, List<String> followedBy) {
        return new Mark(text, role, followedBy, false, false);
    }

    /** A mark for two openers with the same text: it counts where either of them does. */
    static Mark either(Mark one, Mark other) {
        List<String> followedBy = new ArrayList<>();
        if (!one.followedBy.isEmpty() && !other.followedBy.isEmpty()) {
            followedBy.addAll(one.followedBy);
            followedBy.addAll(other.followedBy);
        }
        return guarded(one.text, one.role, followedBy.stream().distinct().toList());
    }
}
