package io.glyphgate.plugin.tokenizerhuggingface;

import java.io.IOException;
import java.util.Map;

/**
 * A token that was added to a model's own.
 *
 * @param content its text
 * @param special whether it is special
 * @param normalized whether it is looked for in the text after the normalizer, so behind those for which it is not
 * @param stripsLeft whether it takes the white space before it
 * @param singleWord whether it must not be a part of a word
 */
record AddedToken(String content, boolean special, boolean normalized, boolean stripsLeft, boolean singleWord) {
    /** A token without further rules. */
    static AddedToken special(String content) {
        return new AddedToken(content, true, false, false, false);
    }

    /** Reads the JSON form of one. */
    static AddedToken of(Map<?, ?> json) {
        boolean special = Boolean.TRUE.equals(json.get("special"));
        return new AddedToken(
                json.get("content") instanceof String content ? content : "",
                special,
                json.get("normalized") instanceof Boolean normalized ? normalized : !special,
                Boolean.TRUE.equals(json.get("lstrip")),
                Boolean.TRUE.equals(json.get("single_word")));
    }

    /** Writes it. */
    void write(TableWriter out) throws IOException {
        out.text(content);
        out.flag(special);
        out.flag(normalized);
        out.flag(stripsLeft);
        out.flag(singleWord);
    }

    /** Reads what {@link #write} wrote. */
    static AddedToken read(TableReader in) throws IOException {
        return new AddedToken(in.text(), in.flag(), in.flag(), in.flag(), in.flag());
    }
}
