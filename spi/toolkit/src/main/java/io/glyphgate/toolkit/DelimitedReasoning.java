package io.glyphgate.toolkit;

import io.glyphgate.spi.DeltaSink;
import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.ReasoningParser;
import io.glyphgate.spi.TokenDelta;

/** The reasoning of one choice by a {@link ReasoningFormat}. */
final class DelimitedReasoning implements ReasoningParser {
    private final Cursor cursor = new Cursor();
    private final Literals afterOpen;
    private final boolean trimmed;
    private Literals literals;
    private boolean reasoning;
    /** Where white space begins that may be the end of the reasoning, and how far it is known to be white space. */
    private int blankFrom;

    private int blankTo;

    DelimitedReasoning(Literals opening, Literals afterOpen, boolean trimmed, boolean reasoning) {
        this.literals = opening;
        this.afterOpen = afterOpen;
        this.trimmed = trimmed;
        this.reasoning = reasoning;
    }

    @Override
    public void accept(TokenDelta delta, DeltaSink out) {
        if (reasoning) {
            cursor.append(delta.text());
            read(false, out);
        } else {
            out.content(delta.text());
        }
    }

    @Override
    public void finish(FinishReason reason, DeltaSink out) {
        if (reasoning) {
            read(true, out);
            cursor.structure(cursor.position(), out);
        }
        if (reasoning && reason == FinishReason.STOP) {
            out.anomaly("unclosed-reasoning");
        }
    }

    private void read(boolean atEnd, DeltaSink out) {
        while (cursor.seek(literals)) {
            switch (cursor.match(literals, atEnd)) {
                case OPEN -> {
                    given(out);
                    return;
                }
                case TEXT, CUT -> cursor.advance(cursor.length());
                case MARK -> {
                    if (cursor.mark().role() == Mark.Role.REASONING_OPEN) {
                        cursor.reasoning(cursor.position(), out);
                    } else {
                        given(out);
                        cursor.structure(cursor.position(), out);
                    }
                    if (cursor.mark().role() != Mark.Role.CALL_OPEN) {
                        cursor.advance(cursor.length());
                        cursor.structure(cursor.position(), out);
                    }
                    if (cursor.mark().role() != Mark.Role.REASONING_OPEN) {
                        reasoning = false;
                        cursor.content(cursor.end(), out);
                        return;
                    }
                    literals = afterOpen;
                }
            }
        }
        given(out);
    }

    /** Gives out what has been read, all but white space that may turn out to be the end of the reasoning. */
    private void given(DeltaSink out) {
        int to = cursor.position();
        if (trimmed) {
            blankTo = Math.max(blankTo, cursor.start());
            blankFrom = Math.max(blankFrom, cursor.start());
            for (; blankTo < to; blankTo++) {
                if (!Blank.is(cursor.at(blankTo))) {
                    blankFrom = blankTo + 1;
                }
            }
        }
        cursor.reasoning(trimmed ? blankFrom : to, out);
    }
}
