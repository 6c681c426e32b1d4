package io.glyphgate.testkit;

import io.glyphgate.spi.DeltaSink;
import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.ParseContext;
import io.glyphgate.spi.ReasoningParser;
import io.glyphgate.spi.ReasoningParserProvider;
import io.glyphgate.spi.TokenDelta;
import java.util.Set;

/** All up to the first {@code ]]} is reasoning, unless it has a fault. */
public final class BracketReasoning implements ReasoningParserProvider {
    /** What it does wrong. */
    enum Fault {
        NONE,
        LOSES_WHAT_IT_HELD,
        LOOKS_AT_ONE_DELTA_ONLY,
        THROWS_AT_A_LONE_SURROGATE,
        HOLDS_EVERYTHING,
        COPIES_EVERYTHING,
        SHARES_ITS_TEXT,
        DROPS_ITS_MARKER,
        CALLS_TOOLS,
        GIVES_AT_AN_EMPTY_END
    }

    private static final StringBuilder SHARED = new StringBuilder();

    private final Fault fault;

    /** For the service loader. */
    public BracketReasoning() {
        this(Fault.NONE);
    }

    BracketReasoning(Fault fault) {
        this.fault = fault;
    }

    @Override
    public String name() {
        return "bracket";
    }

    @Override
    public Set<String> markers() {
        return Set.of("]]");
    }

    @Override
    public ReasoningParser create(ParseContext context) {
        SHARED.setLength(0);
        return new Parser(fault);
    }

    private static final class Parser implements ReasoningParser {
        private final Fault fault;
        private final StringBuilder held;
        private final StringBuilder all = new StringBuilder();
        private boolean ended;

        private Parser(Fault fault) {
            this.fault = fault;
            held = fault == Fault.SHARES_ITS_TEXT ? SHARED : new StringBuilder();
        }

        @Override
        public void accept(TokenDelta delta, DeltaSink out) {
            String text = delta.text().toString();
            switch (fault) {
                case THROWS_AT_A_LONE_SURROGATE -> {
                    if (!text.isEmpty() && Character.isHighSurrogate(text.charAt(text.length() - 1))) {
                        throw new IllegalStateException("half a character");
                    }
                }
                case COPIES_EVERYTHING -> {
                    // Every 256th piece only, so that the test of it is quick.
                    all.append(text);
                    if (all.length() % 4096 == 0) {
                        text = all.toString().substring(all.length() - text.length());
                    }
                }
                case LOOKS_AT_ONE_DELTA_ONLY -> {
                    give(held.length(), out);
                    held.setLength(0);
                }
                case CALLS_TOOLS -> out.toolCall("f", null);
                case NONE,
                        LOSES_WHAT_IT_HELD,
                        HOLDS_EVERYTHING,
                        SHARES_ITS_TEXT,
                        DROPS_ITS_MARKER,
                        GIVES_AT_AN_EMPTY_END -> {}
            }
            held.append(text);
            if (fault == Fault.HOLDS_EVERYTHING) {
                return;
            }
            read(out);
        }

        private void read(DeltaSink out) {
            if (!ended) {
                int end = held.indexOf("]]");
                if (end < 0) {
                    boolean half = !held.isEmpty() && held.charAt(held.length() - 1) == ']';
                    give(held.length() - (half ? 1 : 0), out);
                    return;
                }
                give(end, out);
                if (fault != Fault.DROPS_ITS_MARKER) {
                    out.structure("]]");
                }
                held.delete(0, 2);
                ended = true;
            }
            give(held.length(), out);
        }

        @Override
        public void finish(FinishReason reason, DeltaSink out) {
            if (fault == Fault.HOLDS_EVERYTHING) {
                read(out);
            }
            if (fault != Fault.LOSES_WHAT_IT_HELD) {
                give(held.length(), out);
            }
            if (fault == Fault.GIVES_AT_AN_EMPTY_END) {
                out.reasoning("(none)");
            }
        }

        private void give(int length, DeltaSink out) {
            String text = held.substring(0, length);
            held.delete(0, length);
            if (ended) {
                out.content(text);
            } else {
                out.reasoning(text);
            }
        }
    }
}
