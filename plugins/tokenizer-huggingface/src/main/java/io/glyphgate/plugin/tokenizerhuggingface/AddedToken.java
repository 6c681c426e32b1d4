package io.glyphgate.plugin.tokenizerhuggingface;

import java.util.Map;

/** A token that was added to a model's own: the text, and whether it is special. */
record AddedToken(String content, boolean special) {
    /** Reads the JSON form of one. */
    static AddedToken of(Map<?, ?> json) {
        return new AddedToken(
                json.get("content") instanceof String content ? content : "", Boolean.TRUE.equals(json.get("special")));
    }
}
