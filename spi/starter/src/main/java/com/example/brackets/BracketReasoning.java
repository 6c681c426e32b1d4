package com.example.brackets;

import io.glyphgate.spi.DeltaSink;
import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.ParseContext;
import io.glyphgate.spi.ReasoningParser;
import io.glyphgate.spi.ReasoningParserProvider;
import io.glyphgate.spi.TokenDelta;
import java.util.Set;

/** Reasoning between {@code [[} and {@code ]]} at the start of the output, content after it. */
public final class BracketReasoning implements ReasoningParserProvider {
    @Override
    public String name() {
        return "brackets";
    }

    @Override
    public Set<String> markers() {
        return Set.of("[[", "]]");
    }

    @Override
    public ReasoningParser create(ParseContext context) {
        return new Parser();
    }

    private static final class Parser implements ReasoningParser {
        private enum State { START, REASONING, CONTENT }

        private State state = State.START;
        /** What may still be part of a marker, and the piece that came last. */
        private final StringBuilder held = new StringBuilder();

        @Override
        public void accept(TokenDelta delta, DeltaSink out) {
            held.append(delta.text());
            if (state == State.START) {
                if (held.indexOf("[[") == 0) {
                    out.structure(take(2));
                    state = State.REASONING;
                } else if (!"[[".startsWith(held.toString())) {
                    state = State.CONTENT;
                }
            }
            if (state == State.REASONING) {
                int end = held.indexOf("]]");
                if (end >= 0) {
                    out.reasoning(take(end));
                    out.structure(take(2));
                    state = State.CONTENT;
                } else {
                    boolean mayBeMarker = !held.isEmpty() && held.charAt(held.length() - 1) == ']';
                    out.reasoning(take(mayBeMarker ? held.length() - 1 : held.length()));
                }
            }
            if (state == State.CONTENT) {
                out.content(take(held.length()));
            }
        }

        @Override
        public void finish(FinishReason reason, DeltaSink out) {
            if (state == State.REASONING) {
                out.anomaly("unclosed-reasoning");
                out.reasoning(take(held.length()));
            } else {
                out.content(take(held.length()));
            }
        }

        private String take(int length) {
            String text = held.substring(0, length);
            held.delete(0, length);
            return text;
        }
    }
}
