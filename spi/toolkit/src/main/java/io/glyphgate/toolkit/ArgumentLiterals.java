package io.glyphgate.toolkit;

import java.util.ArrayList;
import java.util.List;

/**
 * The literals inside the arguments of a call.
 *
 * @param between between parameters
 * @param keyClose in the name of a tagged parameter
 * @param valueOpen between the name of a tagged parameter and its value
 * @param value in the value of a parameter
 * @param quote what stands on both sides of a string; empty if that is no marker
 */
record ArgumentLiterals(Literals between, Literals keyClose, Literals valueOpen, Literals value, String quote) {
    private static final ArgumentLiterals NONE =
            new ArgumentLiterals(Literals.EMPTY, Literals.EMPTY, Literals.EMPTY, Literals.EMPTY, "");

    /**
     * Makes them.
     *
     * @param around what opens or closes calls and groups
     */
    static ArgumentLiterals of(CallFormat format, Arguments arguments, List<Mark> around) {
        return switch (arguments) {
            case Arguments.JsonCall ignored -> NONE;
            case Arguments.JsonCalls ignored -> NONE;
            case Arguments.JsonValue ignored -> NONE;
            case Arguments.PythonCalls ignored -> NONE;
            case Arguments.KeyValues values -> {
                Mark quoteMark = Mark.of(values.quote(), Mark.Role.VALUE_CLOSE);
                yield new ArgumentLiterals(
                        Literals.of(CallLiterals.joined(around, List.of(quoteMark)), false),
                        Literals.EMPTY,
                        Literals.EMPTY,
                        Literals.of(List.of(quoteMark), false),
                        values.quote());
            }
            case Arguments.Tagged tags -> {
                Mark key = Mark.of(tags.keyOpen(), Mark.Role.KEY_OPEN);
                yield new ArgumentLiterals(
                        Literals.of(CallLiterals.joined(around, List.of(key)), tags.spaced()),
                        Literals.of(List.of(Mark.of(tags.keyClose(), Mark.Role.KEY_CLOSE)), false),
                        tags.valueOpen().isEmpty()
                                ? Literals.EMPTY
                                : Literals.of(List.of(Mark.of(tags.valueOpen(), Mark.Role.VALUE_OPEN)), false),
                        Literals.of(valueMarks(format, tags), tags.spaced()),
                        "");
            }
        };
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
}
