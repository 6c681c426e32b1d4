package io.glyphgate.proxy.config;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The way to a value, for example {@code pools.decode.endpoints[0]}.
 *
 * @param parent the block or list that holds the value; null for the whole file
 * @param text the whole way; empty for the whole file
 */
public record KeyPath(@Nullable KeyPath parent, String text) {
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_-]+");
    private static final KeyPath ROOT = new KeyPath(null, "");

    /** The way through the given keys. */
    public static KeyPath of(String... keys) {
        KeyPath path = ROOT;
        for (String key : keys) {
            path = path.child(key);
        }
        return path;
    }

    /** The name of a key, by that of the component which holds its value. */
    public static String keyOf(String camelCase) {
        StringBuilder name = new StringBuilder();
        for (int i = 0; i < camelCase.length(); i++) {
            char letter = camelCase.charAt(i);
            if (Character.isUpperCase(letter)) {
                name.append('-');
            }
            name.append(Character.toLowerCase(letter));
        }
        return name.toString();
    }

    /** A key of this block. One that would be hard to read is put in quotes. */
    public KeyPath child(String key) {
        String shown = PLAIN.matcher(key).matches() ? key : "'" + key + "'";
        return new KeyPath(this, text.isEmpty() ? shown : text + "." + shown);
    }

    /** An item of this list, from 0. */
    public KeyPath item(int index) {
        return new KeyPath(this, text + "[" + index + "]");
    }

    @Override
    public String toString() {
        return text;
    }
}
