package io.glyphgate.toolkit;

import io.glyphgate.spi.DeltaSink;
import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.ReasoningParser;
import io.glyphgate.spi.TokenDelta;

/** The reasoning of one choice by a {@link ReasoningFormat}. */
final class DelimitedReasoning implements ReasoningParser {
    private final Cursor cursor = new Cursor();
    private final Literals afterOpen;
    private Literals literals;
    private boolean reasoning;

    DelimitedReasoning(Literals opening, Literals afterOpen, boolean reasoning) {
        this.literals = opening;
        this.afterOpen = afterOpen;
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
        }
        if (reasoning && reason == FinishReason.STOP) {
            out.anomaly("unclosed-reasoning");
        }
    }

    private void read(boolean atEnd, DeltaSink out) {
        while (cursor.seek(literals)) {
            switch (cursor.match(literals, atEnd)) {
                case OPEN -> {
                    cursor.reasoning(cursor.position(), out);
                    return;
                }
                case TEXT, CUT -> cursor.advance(cursor.length());
                case MARK -> {
                    cursor.reasoning(cursor.position(), out);
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
        cursor.reasoning(cursor.position(), out);
    }
}
