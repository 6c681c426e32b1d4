package io.glyphgate.jinja.syntax;

/**
 * The text of a template with every line break as a line feed, without the last one.
 *
 * @param text the text
 */
public record Source(String text) {
    private static final int MAX_SHOWN = 120;

    /** The source that a file holds. */
    public static Source of(String file) {
        String text = file.indexOf('\r') < 0 ? file : file.replace("\r\n", "\n").replace('\r', '\n');
        return new Source(text.endsWith("\n") ? text.substring(0, text.length() - 1) : text);
    }

    /** A part of it, for a message: on one line and not too long. */
    public String shown(Span span) {
        String part = text.substring(span.start(), Math.max(span.start(), span.end())).replaceAll("\\s+", " ");
        return part.length() <= MAX_SHOWN ? part : part.substring(0, MAX_SHOWN - 1) + '…';
    }
}
