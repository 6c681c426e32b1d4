package io.glyphgate.spi;

/**
 * A chat template is wrong, or refuses what it was given.
 *
 * @since 1.0
 */
public final class ChatTemplateException extends Exception {
    private static final long serialVersionUID = 1;

    private final String reason;
    private final int line;
    private final String expression;

    /**
     * A fault of a template, or a refusal by it.
     *
     * @param reason what is wrong, without the place; the template's own words if it refuses by itself
     * @param line the line of the source, from 1; 0 if there is none to name
     * @param expression the part of that line that failed, as the source has it; empty if it is not known
     */
    public ChatTemplateException(String reason, int line, String expression) {
        super(describe(reason, line, expression));
        this.reason = reason;
        this.line = line;
        this.expression = expression;
    }

    private static String describe(String reason, int line, String expression) {
        if (line == 0) {
            return "chat template: " + reason;
        }
        return "chat template line " + line + (expression.isEmpty() ? ": " : ", at " + expression + ": ") + reason;
    }

    /**
     * What is wrong, without the place. Source: the text of the error that vLLM answers.
     *
     * @return the template's own words if it refuses by itself
     */
    public String reason() {
        return reason;
    }

    /**
     * The line of the source.
     *
     * @return from 1; 0 if there is none to name
     */
    public int line() {
        return line;
    }

    /**
     * The part of the line that failed.
     *
     * @return as the source has it; empty if it is not known
     */
    public String expression() {
        return expression;
    }
}
