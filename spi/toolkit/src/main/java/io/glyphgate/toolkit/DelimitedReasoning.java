package io.glyphgate.toolkit;

import io.glyphgate.spi.DeltaSink;
import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.ReasoningParser;
import io.glyphgate.spi.TokenDelta;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The reasoning of one choice by a {@link ReasoningFormat}. */
final class DelimitedReasoning implements ReasoningParser {
    private final Cursor cursor = new Cursor();
    private final Literals afterOpen;
    private final boolean trimmed;
    private final int openLength;
    private final TrailingSpace space = new TrailingSpace();
    /** Where opening markers stand in white space that is held. */
    private final List<Integer> held = new ArrayList<>();

    private final @Nullable Answer answer;
    private Literals literals;
    private boolean reasoning;

    /**
     * A parser.
     *
     * @param openLength how long the opening marker is
     * @param answer the markers behind the reasoning; empty if they are text there
     */
    DelimitedReasoning(
            Literals opening,
            Literals afterOpen,
            int openLength,
            boolean trimmed,
            boolean reasoning,
            Literals answer) {
        this.literals = opening;
        this.afterOpen = afterOpen;
        this.openLength = openLength;
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
                        opened(out);
                    } else {
                        ended(atEnd, out);
                        return;
                    }
                }
            }
        }
        give(out);
    }

    /** Takes a marker that is no text. The reasoning goes on, so white space before it may not be its end. */
    private void opened(DeltaSink out) {
        if (cursor.position() > cursor.start()) {
            held.add(cursor.position());
        }
        cursor.advance(cursor.length());
        space.skip(cursor.position());
        if (held.isEmpty()) {
            cursor.structure(cursor.position(), out);
        }
        literals = afterOpen;
    }

    private void ended(boolean atEnd, DeltaSink out) {
        if (cursor.mark().role() != Mark.Role.CALL_OPEN) {
            cursor.advance(cursor.length());
        }
        cursor.structure(cursor.position(), out);
        reasoning = false;
        if (answer == null) {
            cursor.content(cursor.end(), out);
        } else {
            answer.read(atEnd, out);
        }
    }

    /** Gives out the reasoning up to the cursor, all but white space that may come to stand at its end. */
    private void give(DeltaSink out) {
        int to = trimmed ? space.start(cursor, cursor.position()) : cursor.position();
        if (to > cursor.start() && !held.isEmpty()) {
            for (int marker : held) {
                cursor.reasoning(marker, out);
                cursor.structure(marker + openLength, out);
            }
            held.clear();
        }
        cursor.reasoning(to, out);
    }
}
