package io.glyphgate.jinja.value;

import io.glyphgate.jinja.Budget;

/**
 * A text that is HTML already: what the filters {@code safe} and {@code escape} make. It is a text like any other, but
 * what is joined to it is escaped.
 *
 * @param text the text
 */
public record Markup(String text) {
    /** Escapes a value, unless it is markup. */
    public static Markup escape(Object value, Budget budget) {
        return value instanceof Markup markup ? markup : new Markup(escapeText(Text.str(value, budget), budget));
    }

    private static String escapeText(String text, Budget budget) {
        StringBuilder out = new StringBuilder(text.length() + 16);
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '&' -> out.append("&amp;");
                case '<' -> out.append("&lt;");
                case '>' -> out.append("&gt;");
                case '"' -> out.append("&#34;");
                case '\'' -> out.append("&#39;");
                default -> out.append(c);
            }
        }
        budget.text(out.length());
        return out.toString();
    }
}
