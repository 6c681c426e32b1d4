package io.glyphgate.toolkit;

import java.util.regex.Pattern;

/**
 * The name of a parameter as a tag gives it: in quotes or bare, perhaps with attributes behind it.
 *
 * @param name the name
 * @param json whether an attribute says that the value is JSON
 * @param understood whether nothing else stands there
 */
record TagName(String name, boolean json, boolean understood) {
    private static final Pattern JSON = Pattern.compile("\\bstring\\s*=\\s*[\"']?false\\b");
    private static final Pattern UNDERSTOOD =
            Pattern.compile("[\"']?\\s*(string\\s*=\\s*([\"']?)(true|false)\\2\\s*)?");

    static TagName of(String text) {
        char quote = text.isEmpty() ? ' ' : text.charAt(0);
        boolean quoted = quote == '"' || quote == '\'';
        int end = text.indexOf(quoted ? quote : ' ', 1);
        if (end < 0) {
            end = text.length();
        }
        String rest = text.substring(end);
        return new TagName(
                text.substring(quoted ? 1 : 0, end),
                JSON.matcher(rest).find(),
                UNDERSTOOD.matcher(rest).matches());
    }
}
