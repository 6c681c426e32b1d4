package io.glyphgate.testkit;

import io.glyphgate.spi.ChoiceParser;
import io.glyphgate.spi.CombinedParser;
import io.glyphgate.spi.DeltaSink;
import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.ReasoningParser;
import io.glyphgate.spi.TokenDelta;
import io.glyphgate.spi.ToolParser;
import org.jspecify.annotations.Nullable;

/**
 * A parser that is watched while it works: what it tells of must be its input, each character once and in order; its
 * calls must not outgrow that input; nothing may come between the arguments of a call; and at the end all must be told. A
 * breach is an {@link AssertionError} at the call that makes it.
 *
 * @since 1.0
 */
public final class WatchedParser implements ReasoningParser, ToolParser, CombinedParser {
    /** A control character is six characters in JSON. */
    private static final int GROWTH = 8;
    /** One short value may stand for a long one: {@code 1e300} is a whole number of 301 digits. */
    private static final int SLACK = 512;

    private final ChoiceParser parser;
    private final Recorder seen = new Recorder();
    private final StringBuilder given = new StringBuilder();
    private int told;
    private long grown;
    private boolean callIsLast;
    private boolean finished;

    /**
     * Watches a parser.
     *
     * @param parser a new parser
     */
    public WatchedParser(ChoiceParser parser) {
        this.parser = parser;
    }

    @Override
    public void accept(TokenDelta delta, DeltaSink out) {
        given.append(delta.text());
        parser.accept(delta, new Watch(out));
    }

    @Override
    public void finish(FinishReason reason, DeltaSink out) {
        if (finished) {
            throw new AssertionError("the output was ended twice");
        }
        finished = true;
        parser.finish(reason, new Watch(out));
        if (told != given.length()) {
            throw new AssertionError("at the end <" + given.substring(told) + "> was told neither as reasoning nor as"
                    + " content nor as structure");
        }
    }

    /**
     * The text that the parser was given.
     *
     * @return all of it so far
     */
    public String given() {
        return given.toString();
    }

    /**
     * The text that the parser holds back.
     *
     * @return what it was given and has not told of
     */
    public String held() {
        return given.substring(told);
    }

    /**
     * What the parser gave out.
     *
     * @return a sink that keeps all of it
     */
    public Recorder seen() {
        return seen;
    }

    private void tell(CharSequence text) {
        int end = told + text.length();
        if (end > given.length() || !given.substring(told, end).contentEquals(text)) {
            throw new AssertionError("<" + text + "> was told, but the input goes on with <" + held() + ">");
        }
        told = end;
    }

    /** Says that a message goes on behind its calls. */
    private void shown(CharSequence text) {
        callIsLast &= text.isEmpty();
    }

    private void grow(int characters) {
        grown += characters;
        if (grown > (long) GROWTH * given.length() + SLACK) {
            throw new AssertionError(
                    "calls of " + grown + " characters were made of " + given.length() + " characters of output");
        }
    }

    private final class Watch implements DeltaSink {
        private final DeltaSink out;

        private Watch(DeltaSink out) {
            this.out = out;
        }

        @Override
        public void reasoning(CharSequence text) {
            tell(text);
            shown(text);
            seen.reasoning(text);
            out.reasoning(text);
        }

        @Override
        public void content(CharSequence text) {
            tell(text);
            shown(text);
            seen.content(text);
            out.content(text);
        }

        @Override
        public void addedContent(CharSequence text) {
            grow(text.length());
            shown(text);
            seen.addedContent(text);
            out.addedContent(text);
        }

        @Override
        public void toolCall(String name, @Nullable String id) {
            grow(name.length());
            callIsLast = true;
            seen.toolCall(name, id);
            out.toolCall(name, id);
        }

        @Override
        public void toolArguments(CharSequence json) {
            grow(json.length());
            if (!json.isEmpty() && !callIsLast) {
                throw new AssertionError("the arguments <" + json + "> come behind text that was shown since the call was opened");
            }
            seen.toolArguments(json);
            out.toolArguments(json);
        }

        @Override
        public void structure(CharSequence text) {
            tell(text);
            seen.structure(text);
            out.structure(text);
        }

        @Override
        public void anomaly(String kind) {
            seen.anomaly(kind);
            out.anomaly(kind);
        }
    }
}
