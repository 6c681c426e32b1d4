package io.glyphgate.toolkit;

import io.glyphgate.spi.DeltaSink;
import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.ReasoningParser;
import io.glyphgate.spi.TokenDelta;

/** The reasoning of one choice by an {@link OpenedReasoningFormat}. */
final class OpenedReasoning implements ReasoningParser {
    private enum State {
        /** At the start of an output that only there may open reasoning. */
        START,
        /** At the start of an output that a label alone may open. */
        LABEL_OR_CONTENT,
        CONTENT,
        /** Behind an opening marker, where its label may stand. */
        LABEL,
        REASONING,
        /** In or behind a call, where no marker opens reasoning: to the end of the call, or of the output. */
        CALLS
    }

    private final OpenedReasoningFormat format;
    private final Literals opening;
    private final Literals content;
    private final Literals inside;
    private final Literals calls;
    private final Cursor cursor = new Cursor();
    private State state;
    /** Behind the last character of the reasoning that is no white space, of those before {@link #looked}. */
    private int visibleTo;

    private int looked;

    /**
     * A parser.
     *
     * @param openPrompt the prompt from the marker on that opened reasoning in it; empty if none did
     */
    OpenedReasoning(
            OpenedReasoningFormat format,
            Literals opening,
            Literals content,
            Literals inside,
            Literals calls,
            String openPrompt) {
        this.format = format;
        this.opening = opening;
        this.content = content;
        this.inside = inside;
        this.calls = calls;
        if (openPrompt.isEmpty()) {
            state = format.labelOpens() ? State.LABEL_OR_CONTENT : unlabelled();
        } else {
            state = format.opens().contains(openPrompt) ? State.LABEL : State.REASONING;
        }
    }

    /** Where an output starts that no label opens. */
    private State unlabelled() {
        return format.onlyFirst() ? State.START : State.CONTENT;
    }

    @Override
    public void accept(TokenDelta delta, DeltaSink out) {
        cursor.append(delta.text());
        read(false, out);
    }

    @Override
    public void finish(FinishReason reason, DeltaSink out) {
        read(true, out);
        if (state == State.REASONING) {
            cursor.structure(cursor.end(), out);
            if (reason == FinishReason.STOP) {
                out.anomaly("unclosed-reasoning");
            }
        } else {
            cursor.content(cursor.end(), out);
        }
    }

    private void read(boolean atEnd, DeltaSink out) {
        boolean goesOn = true;
        while (goesOn) {
            goesOn = switch (state) {
                case START -> start(atEnd, out);
                case CONTENT -> content(content, atEnd, out);
                case LABEL_OR_CONTENT -> label(unlabelled(), atEnd, out);
                case LABEL -> label(State.REASONING, atEnd, out);
                case REASONING -> reasoning(atEnd, out);
                case CALLS -> format.callEnd().isEmpty() ? calls(out) : content(calls, atEnd, out);
            };
        }
    }

    private boolean start(boolean atEnd, DeltaSink out) {
        if (cursor.exhausted()) {
            return false;
        }
        switch (cursor.match(opening, atEnd)) {
            case OPEN -> {
                return false;
            }
            case TEXT, CUT -> state = State.CONTENT;
            case MARK -> open(out);
        }
        return true;
    }

    private void open(DeltaSink out) {
        structure(cursor.length(), out);
        state = State.LABEL;
    }

    private void structure(int length, DeltaSink out) {
        cursor.advance(length);
        cursor.structure(cursor.position(), out);
    }

    private boolean content(Literals literals, boolean atEnd, DeltaSink out) {
        while (cursor.seek(literals)) {
            switch (cursor.match(literals, atEnd)) {
                case OPEN -> {
                    cursor.content(cursor.position(), out);
                    return false;
                }
                case TEXT, CUT -> cursor.advance(cursor.length());
                case MARK -> {
                    cursor.content(cursor.position(), out);
                    if (cursor.mark().role() == Mark.Role.REASONING_OPEN) {
                        open(out);
                        return true;
                    }
                    if (cursor.mark().role() == Mark.Role.CALL_OPEN) {
                        state = State.CALLS;
                        return true;
                    }
                    if (cursor.mark().role() == Mark.Role.CALL_CLOSE) {
                        cursor.advance(cursor.length());
                        state = State.CONTENT;
                        return true;
                    }
                    structure(cursor.length(), out);
                }
            }
        }
        cursor.content(cursor.position(), out);
        return false;
    }

    /** Looks for a label, behind which there is reasoning, and goes on otherwise where there is none. */
    private boolean label(State otherwise, boolean atEnd, DeltaSink out) {
        String wanted = format.label();
        int there = Math.min(wanted.length(), cursor.end() - cursor.position());
        boolean fits = wanted.startsWith(
                cursor.slice(cursor.position(), cursor.position() + there).toString());
        if (fits && there < wanted.length() && !atEnd) {
            return false;
        }
        // At the end of the output the white space behind the label may be missing.
        boolean whole = there == wanted.length()
                || (atEnd && there == wanted.stripTrailing().length());
        boolean found = fits && whole;
        if (found) {
            structure(there, out);
        }
        state = found ? State.REASONING : otherwise;
        visibleTo = cursor.position();
        looked = cursor.position();
        return true;
    }

    private boolean reasoning(boolean atEnd, DeltaSink out) {
        while (cursor.seek(inside)) {
            switch (cursor.match(inside, atEnd)) {
                case OPEN -> {
                    give(out);
                    return false;
                }
                case TEXT, CUT -> cursor.advance(cursor.length());
                case MARK -> {
                    if (cursor.mark().role() != Mark.Role.REASONING_OPEN) {
                        end(out);
                        return true;
                    }
                    if (cursor.position() == 0) {
                        // The output repeats what the prompt has opened.
                        open(out);
                        return true;
                    }
                    cursor.reasoning(cursor.position(), out);
                    structure(cursor.length(), out);
                    looked = cursor.position();
                }
            }
        }
        give(out);
        return false;
    }

    private void end(DeltaSink out) {
        give(out);
        structure(cursor.mark().role() == Mark.Role.REASONING_CLOSE ? cursor.length() : 0, out);
        state = format.tellsCalls() && cursor.mark().role() == Mark.Role.CALL_OPEN ? State.CALLS : State.CONTENT;
    }

    private boolean calls(DeltaSink out) {
        cursor.advance(cursor.end() - cursor.position());
        cursor.content(cursor.end(), out);
        return false;
    }

    /** Gives out the reasoning up to the cursor, all but white space that may turn out to stand at its end. */
    private void give(DeltaSink out) {
        if (!format.trimmed()) {
            cursor.reasoning(cursor.position(), out);
            return;
        }
        for (int i = Math.max(looked, cursor.start()); i < cursor.position(); i++) {
            if (!Blank.is(cursor.at(i))) {
                visibleTo = i + 1;
            }
        }
        looked = cursor.position();
        cursor.reasoning(visibleTo, out);
    }
}
