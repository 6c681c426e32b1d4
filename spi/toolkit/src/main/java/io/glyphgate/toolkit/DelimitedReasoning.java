package io.glyphgate.toolkit;

import io.glyphgate.spi.DeltaSink;
import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.ReasoningParser;
import io.glyphgate.spi.TokenDelta;
import org.jspecify.annotations.Nullable;

/** The reasoning of one choice by a {@link ReasoningFormat}. */
final class DelimitedReasoning implements ReasoningParser {
    private final Cursor cursor = new Cursor();
    private final Literals afterOpen;
    private final boolean trimmed;
    private final TrailingSpace space = new TrailingSpace();
    private final @Nullable Answer answer;
    private Literals literals;
    private boolean reasoning;

    /**
     * A parser.
     *
     * @param answer the markers behind the reasoning; empty if they are text there
     */
    DelimitedReasoning(Literals opening, Literals afterOpen, boolean trimmed, boolean reasoning, Literals answer) {
        this.literals = opening;
        this.afterOpen = afterOpen;
        this.trimmed = trimmed;
        this.reasoning = reasoning;
        this.answer = answer == Literals.EMPTY ? null : new Answer(answer, cursor);
    }

    @Override
    public void accept(TokenDelta delta, DeltaSink out) {
        if (reasoning) {
            cursor.append(delta.text());
            read(false, out);
        } else if (answer != null) {
            cursor.append(delta.text());
            answer.read(false, out);
        } else {
            out.content(delta.text());
        }
    }

    @Override
    public void finish(FinishReason reason, DeltaSink out) {
        if (reasoning) {
            read(true, out);
        }
        if (!reasoning && answer != null) {
            answer.read(true, out);
        }
        cursor.structure(cursor.end(), out);
        if (reasoning && reason == FinishReason.STOP) {
            out.anomaly("unclosed-reasoning");
        }
    }

    private void read(boolean atEnd, DeltaSink out) {
        while (cursor.seek(literals)) {
            switch (cursor.match(literals, atEnd)) {
                case OPEN -> {
                    give(out);
                    return;
                }
                case TEXT, CUT -> cursor.advance(cursor.length());
                case MARK -> {
                    give(out);
                    if (cursor.mark().role() == Mark.Role.REASONING_OPEN) {
                        // The reasoning goes on, so this is not its end.
                        cursor.reasoning(cursor.position(), out);
                    }
                    cursor.structure(cursor.position(), out);
                    if (cursor.mark().role() != Mark.Role.CALL_OPEN) {
                        cursor.advance(cursor.length());
                        cursor.structure(cursor.position(), out);
                    }
                    if (cursor.mark().role() != Mark.Role.REASONING_OPEN) {
                        reasoning = false;
                        if (answer == null) {
                            cursor.content(cursor.end(), out);
                        } else {
                            answer.read(atEnd, out);
                        }
                        return;
                    }
                    literals = afterOpen;
                }
            }
        }
        give(out);
    }

    /** Gives out the reasoning up to the cursor, all but white space that may come to stand at its end. */
    private void give(DeltaSink out) {
        int to = cursor.position();
        cursor.reasoning(trimmed ? space.start(cursor, to) : to, out);
    }
}
