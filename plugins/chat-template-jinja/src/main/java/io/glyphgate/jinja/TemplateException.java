package io.glyphgate.jinja;

import java.util.OptionalInt;

/** A template is wrong, fails on its variables, refuses them by itself, or takes more than it may. */
public final class TemplateException extends RuntimeException {
    private static final long serialVersionUID = 1;
    private static final int NOWHERE = 0;

    private final String reason;
    private final int line;
    private final String expression;

    /**
     * A failure whose place is not known yet.
     *
     * @param reason what is wrong, in the words that Python or Jinja use for it
     */
    public TemplateException(String reason) {
        this(reason, NOWHERE, "");
    }

    /**
     * A failure at a place.
     *
     * @param reason what is wrong, in the words that Python or Jinja use for it
     * @param line the line of the source, from 1
     * @param expression the part of the source that failed; empty if it is not known
     */
    public TemplateException(String reason, int line, String expression) {
        super(describe(reason, line, expression), null, false, false);
        this.reason = reason;
        this.line = line;
        this.expression = expression;
    }

    private static String describe(String reason, int line, String expression) {
        if (line == NOWHERE) {
            return reason;
        }
        return "line " + line + (expression.isEmpty() ? ": " : ", at " + expression + ": ") + reason;
    }

    /** The same failure at a place, unless it has one: the innermost place is the one to show. */
    public TemplateException at(int place, String failed) {
        return line == NOWHERE ? new TemplateException(reason, place, failed) : this;
    }

    /** What is wrong, without the place. */
    public String reason() {
        return reason;
    }

    /** The line of the source, from 1. */
    public OptionalInt line() {
        return line == NOWHERE ? OptionalInt.empty() : OptionalInt.of(line);
    }

    /** The part of the source that failed; empty if it is not known. */
    public String expression() {
        return expression;
    }
}
