package io.glyphgate.toolkit;

import java.util.ArrayList;
import java.util.List;

/** The literals of each state of a {@link CallFormat}. */
final class CallLiterals {
    private final Literals outside;
    private final Literals outsideOwed;
    /** Where nothing visible has come. */
    private final Literals start;

    private final Literals startOwed;
    private final Literals grouped;
    private final Literals groupedOwed;
    private final Literals owed;

    /** In text in which no call counts. */
    private final Literals thought;
    /** In a group, where the next call must open. */
    final Literals callOpen;
    /** In a name. */
    final Literals nameClose;
    /** In JSON arguments, outside strings: what ends a call that is not well formed. */
    final Literals breaks;
    /** Between tagged parameters. */
    final Literals between;
    /** In the name of a tagged parameter. */
    final Literals keyClose;
    /** Between the name of a tagged parameter and its value. */
    final Literals valueOpen;
    /** In the value of a tagged parameter. */
    final Literals value;

    /** What stands on both sides of a string; empty if that is no marker. */
    final String quote;

    CallLiterals(CallFormat format) {
        quote = format.arguments() instanceof Arguments.KeyValues values ? values.quote() : "";
        List<Mark> groupEnds = CallFormat.marks(format.groupEnds(), Mark.Role.GROUP_CLOSE);
        List<Mark> callEnds = CallFormat.marks(format.callEnds(), Mark.Role.CALL_CLOSE);
        List<Mark> openings = format.openMarks(true);
        // Where an end is owed, a marker that is both is that end; what follows it tells it apart elsewhere.
        List<Mark> openingsBesideEnds = openings.stream()
                .filter(mark -> mark.followedBy().isEmpty() || !format.callEnds().contains(mark.text()))
                .toList();
        List<Mark> closing = format.thoughtClose().isEmpty()
                ? List.of()
                : List.of(Mark.of(format.thoughtClose(), Mark.Role.REASONING_CLOSE));
        List<Mark> thoughts = format.thoughtOpen().isEmpty()
                ? closing
                : List.of(Mark.of(format.thoughtOpen(), Mark.Role.REASONING_OPEN));
        thought = Literals.of(closing, false);
        List<Mark> outsideMarks =
                joined(format.openMarks(format.ungrouped() || format.groups().isEmpty()), thoughts);
        List<Mark> outsideOwedMarks = joined(openingsBesideEnds, callEnds, thoughts);
        outside = Literals.of(outsideMarks, false);
        outsideOwed = Literals.of(outsideOwedMarks, false);
        start = Literals.of(joined(outsideMarks, format.firstMarks()), false);
        startOwed = Literals.of(joined(outsideOwedMarks, format.firstMarks()), false);
        grouped = Literals.of(joined(openings, groupEnds), false);
        groupedOwed = Literals.of(joined(openingsBesideEnds, groupEnds, callEnds), false);
        owed = Literals.of(callEnds, false);
        callOpen = Literals.of(
                joined(
                        CallFormat.marks(format.callMarkers(), Mark.Role.CALL_OPEN),
                        CallFormat.marks(format.groups(), Mark.Role.GROUP_OPEN)),
                false);
        nameClose = Literals.of(
                joined(
                        CallFormat.marks(format.nameEnds(), Mark.Role.NAME_CLOSE),
                        CallFormat.marks(format.nameStops(), Mark.Role.NAME_STOP)),
                false);
        List<Mark> signs = joined(openingsBesideEnds, groupEnds, callEnds);
        signs.removeIf(mark -> mark.text().equals("[") || mark.text().equals("{"));
        breaks = Literals.of(signs, false);
        switch (format.arguments()) {
            case Arguments.JsonCall ignored -> {
                between = Literals.EMPTY;
                keyClose = Literals.EMPTY;
                valueOpen = Literals.EMPTY;
                value = Literals.EMPTY;
            }
            case Arguments.JsonCalls ignored -> {
                between = Literals.EMPTY;
                keyClose = Literals.EMPTY;
                valueOpen = Literals.EMPTY;
                value = Literals.EMPTY;
            }
            case Arguments.JsonValue ignored -> {
                between = Literals.EMPTY;
                keyClose = Literals.EMPTY;
                valueOpen = Literals.EMPTY;
                value = Literals.EMPTY;
            }
            case Arguments.PythonCalls ignored -> {
                between = Literals.EMPTY;
                keyClose = Literals.EMPTY;
                valueOpen = Literals.EMPTY;
                value = Literals.EMPTY;
            }
            case Arguments.KeyValues values -> {
                Mark quoteMark = Mark.of(values.quote(), Mark.Role.VALUE_CLOSE);
                between = Literals.of(joined(openings, groupEnds, callEnds, List.of(quoteMark)), false);
                keyClose = Literals.EMPTY;
                valueOpen = Literals.EMPTY;
                value = Literals.of(List.of(quoteMark), false);
            }
            case Arguments.Tagged tags -> {
                Mark key = Mark.of(tags.keyOpen(), Mark.Role.KEY_OPEN);
                between = Literals.of(joined(openings, groupEnds, callEnds, List.of(key)), tags.spaced());
                keyClose = Literals.of(List.of(Mark.of(tags.keyClose(), Mark.Role.KEY_CLOSE)), false);
                valueOpen = tags.valueOpen().isEmpty()
                        ? Literals.EMPTY
                        : Literals.of(List.of(Mark.of(tags.valueOpen(), Mark.Role.VALUE_OPEN)), false);
                value = Literals.of(valueMarks(format, tags), tags.spaced());
            }
        }
    }

    private static List<Mark> valueMarks(CallFormat format, Arguments.Tagged tags) {
        List<String> afterCall = new ArrayList<>(format.groupEnds());
        afterCall.addAll(format.groups());
        afterCall.addAll(format.callMarkers());
        List<String> afterValue = new ArrayList<>(afterCall);
        afterValue.add(tags.keyOpen());
        afterValue.addAll(format.callEnds());
        List<Mark> marks = new ArrayList<>();
        marks.add(new Mark(tags.valueClose(), Mark.Role.VALUE_CLOSE, afterValue, true, false));
        // A model may forget the end of a value; the next tag counts then, where it can be told from text.
        if (tags.valueOpen().isEmpty()) {
            boolean startsLine = tags.space() == Arguments.Tagged.Space.LINES;
            marks.add(new Mark(tags.keyOpen(), Mark.Role.KEY_OPEN, List.of(), false, startsLine));
        }
        for (String end : format.callEnds()) {
            marks.add(new Mark(end, Mark.Role.CALL_CLOSE, afterCall, true, true));
        }
        return marks;
    }

    @SafeVarargs
    private static List<Mark> joined(List<Mark>... parts) {
        List<Mark> all = new ArrayList<>();
        for (List<Mark> part : parts) {
            all.addAll(part);
        }
        return all;
    }

    /** The literals among content. */
    Literals content(boolean opens, boolean inThought, boolean inGroup, boolean endOwed, boolean atStart) {
        if (inThought) {
            return thought;
        }
        if (!opens) {
            return endOwed ? owed : Literals.EMPTY;
        }
        if (inGroup) {
            return endOwed ? groupedOwed : grouped;
        }
        if (atStart) {
            return endOwed ? startOwed : start;
        }
        return endOwed ? outsideOwed : outside;
    }
}
