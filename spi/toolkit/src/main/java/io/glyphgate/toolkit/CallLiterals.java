package io.glyphgate.toolkit;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The literals of each state of a {@link CallFormat}. */
final class CallLiterals {
    private final Literals outside;
    private final Literals outsideOwed;
    private final Literals grouped;
    private final Literals groupedOwed;
    private final Literals owed;
    private final Map<String, OpenedKinds> opened = new LinkedHashMap<>();

    /** In text in which no call counts. */
    private final Literals thought;
    /** In a group, where the next call must open. */
    final Literals callOpen;
    /** In JSON arguments, outside strings: what ends a call that is not well formed. */
    final Literals breaks;
    /** Whether white space before any call is content, so that none of it needs to be held. */
    final boolean keepsSpace;

    CallLiterals(CallFormat format) {
        List<Mark> groupEnds = CallFormat.marks(format.groupEnds(), Mark.Role.GROUP_CLOSE);
        List<Mark> callEnds = CallFormat.marks(format.callEnds(), Mark.Role.CALL_CLOSE);
        List<Mark> openings = format.openMarks(true);
        List<Mark> thoughts = format.thoughtOpen().isEmpty()
                ? List.of()
                : List.of(Mark.of(format.thoughtOpen(), Mark.Role.REASONING_OPEN));
        thought = format.thoughtOpen().isEmpty()
                ? Literals.EMPTY
                : Literals.of(List.of(Mark.of(format.thoughtClose(), Mark.Role.REASONING_CLOSE)), false);
        outside = Literals.of(
                joined(format.openMarks(format.ungrouped() || format.groups().isEmpty()), thoughts), false);
        outsideOwed = Literals.of(joined(openings, callEnds, thoughts), false);
        grouped = Literals.of(joined(openings, groupEnds), false);
        List<Mark> around = joined(openings, groupEnds, callEnds);
        groupedOwed = Literals.of(around, false);
        owed = Literals.of(callEnds, false);
        callOpen = Literals.of(
                joined(
                        CallFormat.marks(format.callMarkers(), Mark.Role.CALL_OPEN),
                        CallFormat.marks(format.groups(), Mark.Role.GROUP_OPEN)),
                false);
        List<Mark> signs = new ArrayList<>(around);
        signs.removeIf(mark -> mark.text().equals("[") || mark.text().equals("{"));
        breaks = Literals.of(signs, false);
        keepsSpace = format.calls().stream().allMatch(kind -> kind.whiteSpace() == CallFormat.WhiteSpace.KEPT);
        for (String marker : format.callMarkers()) {
            List<OpenedKinds.Kind> kinds = format.calls().stream()
                    .filter(kind -> kind.marker().equals(marker))
                    .map(kind -> new OpenedKinds.Kind(
                            kind,
                            Literals.of(kind.name().marks(), false),
                            ArgumentLiterals.of(format, kind.arguments(), around)))
                    .toList();
            opened.put(marker, new OpenedKinds(marker, kinds));
        }
    }

    @SafeVarargs
    static List<Mark> joined(List<Mark>... parts) {
        List<Mark> all = new ArrayList<>();
        for (List<Mark> part : parts) {
            all.addAll(part);
        }
        return all;
    }

    /** The literals among content. */
    Literals content(boolean opens, boolean inThought, boolean inGroup, boolean endOwed) {
        if (inThought) {
            return thought;
        }
        if (!opens) {
            return endOwed ? owed : Literals.EMPTY;
        }
        if (inGroup) {
            return endOwed ? groupedOwed : grouped;
        }
        return endOwed ? outsideOwed : outside;
    }

    /** The kinds of calls that a marker opens. */
    OpenedKinds opened(String marker) {
        OpenedKinds kinds = opened.get(marker);
        if (kinds == null) {
            throw new IllegalStateException(marker + " opens no call");
        }
        return kinds;
    }
}
