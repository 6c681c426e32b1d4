package io.glyphgate.toolkit;

import java.util.regex.Pattern;

/**
 * The name of a parameter as a tag gives it: in quotes or bare, perhaps with attributes behind it.
 *
 * @param name the name
 * @param json whether an attribute says that the value is JSON
 */
record TagName(String name, boolean json) {
    private static final Pattern JSON = Pattern.compile("\\bstring\\s*=\\s*[\"']?false\\b");

    static TagName of(String text) {
        char quote = text.isEmpty() ? ' ' : text.charAt(0);
        boolean quoted = quote == '"' || quote == '\'';
        int end = text.indexOf(quoted ? quote : ' ', 1);
        if (end < 0) {
            end = text.length();
        }
        return new TagName(
                text.substring(quoted ? 1 : 0, end), JSON.matcher(text.substring(end)).find());
    }
}
