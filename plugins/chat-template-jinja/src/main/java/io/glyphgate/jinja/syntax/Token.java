package io.glyphgate.jinja.syntax;

/**
 * A token.
 *
 * @param type what it is
 * @param value a name, the text of data or of a string, or a number; empty text for the others
 * @param line its line, from 1
 * @param start where it starts in the source
 * @param end where it ends in the source
 */
record Token(TokenType type, Object value, int line, int start, int end) {
    boolean isName(String name) {
        return type == TokenType.NAME && value.equals(name);
    }

    /** What messages call it. */
    String description() {
        return type == TokenType.NAME ? value.toString() : type.description();
    }
}
