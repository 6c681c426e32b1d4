package io.glyphgate.toolkit;

import io.glyphgate.spi.DeltaSink;
import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.TokenDelta;
import io.glyphgate.spi.Tool;
import io.glyphgate.spi.ToolParser;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The tool calls of one choice by a {@link CallFormat}. */
final class CallStage implements ToolParser {
    /** Longer text is no name; it would be held for nothing. */
    private static final int MAX_NAME = 256;

    private static final String FUNCTIONS = "functions.";

    private enum State {
        CONTENT,
        GROUP,
        /** Behind a marker that opens several kinds of calls. */
        KIND,
        NAME,
        ARGUMENTS
    }

    private final CallFormat format;
    private final CallLiterals literals;
    private final List<Tool> tools;
    private final Cursor cursor = new Cursor();

    private State state = State.CONTENT;
    private boolean inThought;
    /** How many groups are open, one inside the other. */
    private int groups;
    private boolean endOwed;
    /** Whether the arguments that were read last came to their own end. */
    private boolean whole;
    /** Whether nothing visible has come but calls, since the start or the end of a thought. */
    private boolean atStart = true;

    private boolean broken;

    /** Whether there was a call. */
    private boolean called;
    /** Whether there was text that is not white space. */
    private boolean texted;
    /** Whether there was such text since the last call. */
    private boolean textedSinceCall;
    /** The text from the cursor's start up to here is known to be white space. */
    private int blankTo;
    /** How many groups are open around the call being read. */
    private int groupsAround;

    /** Whether the end of the output closes a call, because nothing else does and the output ended by itself. */
    private boolean endCloses;

    /** What the last marker opened; until one comes, what the first of the description would. */
    private OpenedKinds opened;

    private OpenedKinds.Kind kind;
    private int nameStart;
    /** Where the name ended at what opens an ID; -1 if it has not. */
    private int nameEnd;

    private int idStart;
    /** Whether white space stands behind the first word of a name. */
    private boolean spaced;

    private @Nullable ArgumentsReader reader;

    CallStage(CallFormat format, CallLiterals literals, List<Tool> tools) {
        this.format = format;
        this.literals = literals;
        this.tools = tools;
        this.opened = literals.opened(format.calls().getFirst().marker());
        this.kind = opened.first();
    }

    @Override
    public void accept(TokenDelta delta, DeltaSink out) {
        cursor.append(delta.text());
        read(false, out);
    }

    @Override
    public void finish(FinishReason reason, DeltaSink out) {
        boolean open = state != State.CONTENT;
        whole = false;
        endCloses = reason == FinishReason.STOP && format.callEnds().isEmpty();
        read(true, out);
        if (called && !textedSinceCall) {
            cursor.structure(cursor.end(), out);
        } else {
            cursor.content(cursor.end(), out);
        }
        if (reason == FinishReason.STOP && ((open && !whole) || groups > 0 || endOwed)) {
            out.anomaly("unclosed-call");
        }
    }

    private void read(boolean atEnd, DeltaSink out) {
        boolean goesOn = true;
        while (goesOn) {
            goesOn = switch (state) {
                case CONTENT -> content(atEnd, out);
                case GROUP -> group(atEnd, out);
                case KIND -> kind(atEnd, out);
                case NAME -> name(atEnd, out);
                case ARGUMENTS -> arguments(atEnd, out);
            };
        }
    }

    /** Reads text up to the next marker that counts. Returns false if there is none. */
    private boolean content(boolean atEnd, DeltaSink out) {
        boolean opens = !format.onlyFirst() || cursor.position() == 0;
        boolean first = atStart && literals.opensAtStart;
        Literals wanted = literals.content(opens, inThought, groups > 0, endOwed, first);
        // Where only the very start of the output counts, white space in front of a call makes it text.
        boolean skips = first && !format.onlyFirst();
        if (skips && cursor.skipWhiteSpace() && !wanted.startWith(cursor.current())) {
            atStart = false;
            return true;
        }
        if (opens && format.onlyFirst() && !cursor.exhausted() && !wanted.startWith(cursor.current())) {
            cursor.advance(1);
            return true;
        }
        while (cursor.seek(wanted)) {
            switch (cursor.match(wanted, atEnd)) {
                case OPEN -> {
                    text(out);
                    return false;
                }
                case TEXT -> {
                    cursor.advance(cursor.length());
                    atStart = false;
                    if (first || (opens && format.onlyFirst())) {
                        return true;
                    }
                }
                case CUT -> {
                    text(out);
                    if (endsCut()) {
                        blank(out);
                        cursor.advance(cursor.end() - cursor.position());
                        cursor.structure(cursor.position(), out);
                    } else {
                        cursor.advance(cursor.length());
                        if (opens && format.onlyFirst()) {
                            return true;
                        }
                    }
                }
                case MARK -> {
                    if (thought(cursor.mark().role())) {
                        cursor.advance(cursor.length());
                        atStart = true;
                    } else {
                        text(out);
                        if (signInText()) {
                            cursor.advance(cursor.length());
                        } else {
                            marker(cursor.mark().role(), out);
                        }
                    }
                    return true;
                }
            }
        }
        text(out);
        return false;
    }

    /** Whether an end that starts with a sign stands in text that follows a call, where it is a sign like any other. */
    private boolean signInText() {
        boolean sign = cursor.mark().text().length() == 1 || format.onlyFirst();
        return cursor.mark().role() == Mark.Role.CALL_CLOSE && sign && textedSinceCall;
    }

    /** Takes a marker around text in which no call counts, which is text itself. Returns false if it is another. */
    private boolean thought(Mark.Role role) {
        boolean own = role == Mark.Role.REASONING_OPEN || role == Mark.Role.REASONING_CLOSE;
        inThought = own ? role == Mark.Role.REASONING_OPEN : inThought;
        return own;
    }

    /** Whether the rest of the output is the start of what closes the last call. */
    private boolean endsCut() {
        if (textedSinceCall || !(groups > 0 || endOwed)) {
            return false;
        }
        String rest = cursor.slice(cursor.position(), cursor.end()).toString();
        return startsAny(format.callEnds(), rest) || startsAny(format.groupEnds(), rest);
    }

    private static boolean startsAny(List<String> markers, String text) {
        for (String marker : markers) {
            if (marker.startsWith(text)) {
                return true;
            }
        }
        return false;
    }

    private void marker(Mark.Role role, DeltaSink out) {
        switch (role) {
            case GROUP_OPEN -> {
                groupsAround = Math.min(groups + 1, format.groups().size());
                state = State.GROUP;
                cursor.advance(cursor.length());
            }
            case CALL_OPEN -> {
                groupsAround = groups;
                open();
            }
            case CALL_CLOSE, GROUP_CLOSE -> {
                endOwed = false;
                if (role == Mark.Role.GROUP_CLOSE) {
                    groups = Math.max(0, groups - 1);
                }
                blank(out);
                cursor.advance(cursor.length());
                cursor.structure(cursor.position(), out);
                textedSinceCall = false;
            }
            case REASONING_OPEN,
                    REASONING_CLOSE,
                    CALL_START,
                    NAME_CLOSE,
                    NAME_STOP,
                    ID_OPEN,
                    KEY_OPEN,
                    KEY_CLOSE,
                    VALUE_OPEN,
                    VALUE_CLOSE,
                    HEADER_OPEN,
                    BODY_OPEN,
                    BODY_CLOSE -> throw new IllegalStateException(role + " is not looked for among content");
        }
    }

    /** Starts the call whose marker stands at the cursor. */
    private void open() {
        opened = literals.opened(cursor.mark().text());
        cursor.advance(cursor.length());
        OpenedKinds.Kind only = opened.only();
        if (only == null) {
            state = State.KIND;
        } else {
            open(only);
        }
    }

    /** Looks what kind of call a marker opened. Returns false if more text is needed. */
    private boolean kind(boolean atEnd, DeltaSink out) {
        if (!cursor.skipWhiteSpace()) {
            return atEnd && noCall(out);
        }
        String start = switch (cursor.match(opened.starts, atEnd)) {
            case OPEN -> null;
            case TEXT, CUT -> "";
            case MARK -> cursor.mark().text();
        };
        if (start == null) {
            return false;
        }
        if (!start.isEmpty() && cursor.mark().role() == Mark.Role.CALL_OPEN) {
            // The marker again: the last one counts.
            cursor.advance(cursor.length());
            return true;
        }
        OpenedKinds.Kind started = opened.startedBy(start);
        if (started == null) {
            return noCall(out);
        }
        open(started);
        return true;
    }

    private void open(OpenedKinds.Kind started) {
        kind = started;
        switch (started.kind().arguments()) {
            case Arguments.JsonCall json -> {
                reader = new JsonCallReader(json, literals.breaks, cursor, this::announce, false);
                state = State.ARGUMENTS;
            }
            case Arguments.JsonCalls json -> {
                String marker = started.kind().marker();
                char last = marker.charAt(marker.length() - 1);
                reader = new JsonCallsReader(json.call(), literals.breaks, cursor, this::announce, last);
                state = State.ARGUMENTS;
            }
            case Arguments.PythonCalls calls -> {
                reader = new PythonCallReader(calls, cursor, this::announce);
                state = State.ARGUMENTS;
            }
            case Arguments.JsonValue ignored -> openName();
            case Arguments.Tagged ignored -> openName();
            case Arguments.KeyValues ignored -> openName();
        }
    }

    private void openName() {
        nameStart = cursor.position();
        nameEnd = -1;
        spaced = false;
        state = State.NAME;
    }

    /** Gives out the text up to the cursor, all but white space at its end that may come to stand before a call. */
    private void text(DeltaSink out) {
        int to = cursor.position();
        int from = Math.max(blankTo, cursor.start());
        int visible = from;
        while (visible < to && Blank.is(cursor.at(visible))) {
            visible++;
        }
        blankTo = to;
        if (visible < to) {
            if (called && !texted) {
                cursor.structure(visible, out);
            }
            int end = to;
            if (!literals.keepsSpace) {
                while (Blank.is(cursor.at(end - 1))) {
                    end--;
                }
            }
            cursor.content(end, out);
            texted = true;
            textedSinceCall = true;
        } else if (textedSinceCall && literals.keepsSpace) {
            cursor.content(to, out);
        }
    }

    /** Gives out held white space that stands before a marker. */
    private void blank(DeltaSink out) {
        cursor.structure(Math.min(blankTo, cursor.position()), out);
    }

    /** Reads from a group's marker to its first call. Returns false if more text is needed. */
    private boolean group(boolean atEnd, DeltaSink out) {
        if (!cursor.skipWhiteSpace()) {
            return atEnd && noCall(out);
        }
        return switch (cursor.match(literals.callOpen, atEnd)) {
            case OPEN -> false;
            case TEXT, CUT -> noCall(out);
            case MARK -> {
                if (cursor.mark().role() == Mark.Role.GROUP_OPEN) {
                    groupsAround = Math.min(groupsAround + 1, format.groups().size());
                    cursor.advance(cursor.length());
                } else {
                    open();
                }
                yield true;
            }
        };
    }

    /** Reads a name. Returns false if more text is needed. */
    private boolean name(boolean atEnd, DeltaSink out) {
        if (cursor.position() == nameStart) {
            cursor.skipWhiteSpace();
            nameStart = cursor.position();
        }
        while (!cursor.exhausted()) {
            char c = cursor.current();
            if (kind.nameClose().startWith(c)) {
                switch (cursor.match(kind.nameClose(), atEnd)) {
                    case OPEN -> {
                        return false;
                    }
                    case MARK -> {
                        if (cursor.mark().role() != Mark.Role.ID_OPEN || nameEnd >= 0) {
                            boolean stop = cursor.mark().role() == Mark.Role.NAME_STOP;
                            return named(stop ? 0 : cursor.length(), out);
                        }
                        nameEnd = cursor.position();
                        cursor.advance(cursor.length());
                        idStart = cursor.position();
                        spaced = false;
                        continue;
                    }
                    case CUT -> {
                        cursor.advance(cursor.end() - cursor.position());
                        return noCall(out);
                    }
                    case TEXT -> {}
                }
            }
            if (kind.kind().name().names() == CallFormat.Names.WORD) {
                if (!wordGoesOn(c)) {
                    return noCall(out);
                }
            } else if (kind.kind().arguments() instanceof Arguments.JsonValue && c == '<') {
                // A marker that belongs elsewhere: there is no name.
                return noCall(out);
            } else if (kind.kind().arguments() instanceof Arguments.JsonValue ? c == '{' : c == '<' || c == '\n') {
                // The end was forgotten, and what stands here is no part of a name.
                broken = true;
                return named(0, out);
            }
            if (cursor.position() - nameStart > MAX_NAME) {
                return noCall(out);
            }
            cursor.advance(1);
        }
        if (!atEnd) {
            return false;
        }
        return endCloses ? named(0, out) : noCall(out);
    }

    /** Whether a character belongs to a name that is one word, or to the white space behind it. */
    private boolean wordGoesOn(char c) {
        boolean blank = Blank.is(c);
        boolean first = cursor.position() == nameStart;
        boolean sign = c == '_' || (!first && "-.:/".indexOf(c) >= 0);
        boolean goesOn = blank || (!spaced && (Character.isLetterOrDigit(c) || sign));
        spaced |= blank;
        return goesOn;
    }

    private boolean named(int closeLength, DeltaSink out) {
        int end = nameEnd < 0 ? cursor.position() : nameEnd;
        String header = Blank.strip(cursor.slice(nameStart, end).toString());
        boolean numbered = kind.kind().name().names() == CallFormat.Names.NUMBERED;
        String name = numbered ? numbered(header) : header;
        @Nullable Tool tool = tool(name);
        boolean fenced = kind.kind().arguments() instanceof Arguments.JsonValue && name.indexOf('`') >= 0;
        if (name.isEmpty() || fenced || garbled(name) || (tool == null && mustBeOffered())) {
            return noCall(out);
        }
        String written = nameEnd < 0
                ? ""
                : Blank.strip(cursor.slice(idStart, cursor.position()).toString());
        String id = numbered ? header : written.isEmpty() ? null : written;
        cursor.advance(closeLength);
        announce(name, id, out);
        if (broken) {
            out.anomaly("malformed-call");
            broken = false;
        }
        switch (kind.kind().arguments()) {
            case Arguments.Tagged tags -> reader = new TaggedReader(tags, kind.inside(), tool, cursor);
            case Arguments.KeyValues values -> reader =
                    new KeyValueReader(values, kind.inside(), tool, closeLength > 0, cursor);
            case Arguments.JsonValue ignored -> reader = new JsonValueReader(literals.breaks, cursor);
            case Arguments.JsonCalls json -> throw new IllegalStateException("the names are among " + json);
            case Arguments.JsonCall json -> throw new IllegalStateException("the name is among " + json);
            case Arguments.PythonCalls calls -> throw new IllegalStateException("the names are among " + calls);
        }
        state = State.ARGUMENTS;
        return true;
    }

    private boolean mustBeOffered() {
        return format.offered() || (groupsAround == 0 && !format.groups().isEmpty());
    }

    /** Whether a name holds what no name does, because a marker behind it is broken. */
    private static boolean garbled(String name) {
        return name.indexOf('<') >= 0 || name.indexOf('\n') >= 0;
    }

    /** The name in {@code functions.name:0}; empty if there is no number. */
    private static String numbered(String header) {
        int colon = header.lastIndexOf(':');
        boolean number = colon >= 0 && colon + 1 < header.length();
        for (int i = colon + 1; i < header.length(); i++) {
            number &= header.charAt(i) >= '0' && header.charAt(i) <= '9';
        }
        if (!number) {
            return "";
        }
        String name = header.substring(0, header.indexOf(':'));
        return Blank.strip(name.startsWith(FUNCTIONS) ? name.substring(FUNCTIONS.length()) : name);
    }

    private @Nullable Tool tool(String name) {
        for (Tool tool : tools) {
            if (tool.name().equals(name)) {
                return tool;
            }
        }
        return null;
    }

    /** Announces the call: its name is certain, and what has been read of it is structure. */
    private void announce(String name, @Nullable String id, DeltaSink out) {
        if (textedSinceCall && kind.kind().whiteSpace() == CallFormat.WhiteSpace.KEPT) {
            cursor.content(blankTo, out);
        }
        cursor.structure(cursor.position(), out);
        called = true;
        textedSinceCall = false;
        groups = groupsAround;
        out.toolCall(name, id);
    }

    /** Turns what was read of a call into text. */
    private boolean noCall(DeltaSink out) {
        out.anomaly("not-a-call");
        broken = false;
        atStart = false;
        state = State.CONTENT;
        text(out);
        return true;
    }

    private boolean arguments(boolean atEnd, DeltaSink out) {
        if (reader == null) {
            throw new IllegalStateException("there are arguments, but nothing that reads them");
        }
        ArgumentsReader.Progress progress = reader.read(atEnd, out);
        whole = progress == ArgumentsReader.Progress.COMPLETE;
        return switch (progress) {
            case OPEN -> false;
            case NO_CALL -> noCall(out);
            case CLOSED -> callEnded(false);
            case COMPLETE, CUT -> callEnded(true);
            case UNBEGUN -> {
                if (endCloses) {
                    out.toolArguments("{}");
                    whole = true;
                }
                yield callEnded(true);
            }
            case BROKEN -> {
                out.anomaly("malformed-call");
                yield callEnded(true);
            }
        };
    }

    private boolean callEnded(boolean owesEnd) {
        endOwed = owesEnd && kind.kind().closed() && !format.callEnds().isEmpty();
        blankTo = cursor.position();
        state = State.CONTENT;
        return true;
    }
}
