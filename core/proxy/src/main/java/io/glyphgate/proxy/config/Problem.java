package io.glyphgate.proxy.config;

/**
 * Something that is wrong with the configuration.
 *
 * @param place where
 * @param key the key that is wrong; the root for the whole file
 * @param text what is wrong and what to do
 */
public record Problem(Place place, KeyPath key, String text) {
    @Override
    public String toString() {
        return key.text().isEmpty() ? place + ": " + text : place + ": " + key + ": " + text;
    }
}
