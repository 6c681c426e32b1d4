package io.glyphgate.toolkit;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The kinds of calls that one marker opens; what follows it tells them apart. */
final class OpenedKinds {
    /** A kind with its literals. */
    record Kind(CallKind kind, Literals nameClose, ArgumentLiterals inside) {}

    private final List<Kind> kinds;
    /** What tells the kinds apart, and the marker itself, which may be repeated. */
    final Literals starts;

    OpenedKinds(String marker, List<Kind> kinds) {
        this.kinds = kinds;
        List<Mark> marks = new ArrayList<>();
        marks.add(Mark.of(marker, Mark.Role.CALL_OPEN));
        kinds.forEach(each -> marks.addAll(CallFormat.marks(each.kind.opener().followedBy(), Mark.Role.CALL_START)));
        starts = kinds.size() == 1 ? Literals.EMPTY : Literals.of(marks, false);
    }

    /** The first kind of the description. */
    Kind first() {
        return kinds.getFirst();
    }

    /** The kind, if the marker opens only one. */
    @Nullable Kind only() {
        return kinds.size() == 1 ? kinds.getFirst() : null;
    }

    /** The kind that a text starts; with an empty text, the one that needs none. Null if there is none. */
    @Nullable Kind startedBy(String text) {
        for (Kind each : kinds) {
            List<String> starts = each.kind.opener().followedBy();
            if (text.isEmpty() ? starts.isEmpty() : starts.contains(text)) {
                return each;
            }
        }
        return null;
    }
}
