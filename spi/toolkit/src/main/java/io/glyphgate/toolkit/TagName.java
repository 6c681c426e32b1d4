package io.glyphgate.toolkit;

import java.util.regex.Pattern;

/**
 * The name of a parameter as a tag gives it: in quotes or bare, perhaps with attributes behind it. A quote that is
 * missing, or another one, is none of the name.
 *
 * @param name the name
 * @param json whether an attribute says that the value is JSON
 * @param understood whether nothing else stands there
 */
record TagName(String name, boolean json, boolean understood) {
    private static final Pattern JSON = Pattern.compile("\\bstring\\s*=\\s*[\"']?false\\b");
    private static final Pattern UNDERSTOOD =
            Pattern.compile("[\"']?\\s*(string\\s*=\\s*([\"']?)(true|false)\\2\\s*)?");

    static TagName of(String tag) {
        String text = Blank.strip(tag);
        char quote = text.isEmpty() ? ' ' : text.charAt(0);
        boolean quoted = quote == '"' || quote == '\'';
        int start = quoted ? 1 : 0;
        int end = quoted ? text.indexOf(quote, 1) : -1;
        boolean closed = end >= 0;
        if (!closed) {
            end = start;
            while (end < text.length() && " \"'".indexOf(text.charAt(end)) < 0) {
                end++;
            }
        }
        String rest = text.substring(end);
        return new TagName(
                Blank.strip(text.substring(start, end)),
                JSON.matcher(rest).find(),
                quoted == closed && UNDERSTOOD.matcher(rest).matches());
    }
}
