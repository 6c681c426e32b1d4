package io.glyphgate.jinja.syntax;

import java.util.EnumSet;
import java.util.Set;

/** The kinds of tokens, with what messages call them. */
enum TokenType {
    DATA("template data / text"),
    VARIABLE_BEGIN("begin of print statement"),
    VARIABLE_END("end of print statement"),
    BLOCK_BEGIN("begin of statement block"),
    BLOCK_END("end of statement block"),
    NAME("name"),
    STRING("string"),
    INTEGER("integer"),
    FLOAT("float"),
    POW("**"),
    FLOOR_DIVIDE("//"),
    EQUAL("=="),
    NOT_EQUAL("!="),
    LESS_OR_EQUAL("<="),
    GREATER_OR_EQUAL(">="),
    ADD("+"),
    SUBTRACT("-"),
    DIVIDE("/"),
    MULTIPLY("*"),
    MODULO("%"),
    TILDE("~"),
    OPEN_BRACKET("["),
    CLOSE_BRACKET("]"),
    OPEN_PARENTHESIS("("),
    CLOSE_PARENTHESIS(")"),
    OPEN_BRACE("{"),
    CLOSE_BRACE("}"),
    LESS("<"),
    GREATER(">"),
    ASSIGN("="),
    DOT("."),
    COLON(":"),
    PIPE("|"),
    COMMA(","),
    SEMICOLON(";"),
    END("end of template");

    private final String description;

    TokenType(String description) {
        this.description = description;
    }

    String description() {
        return description;
    }

    /** Those that are written as their descriptions say; the longer ones first. */
    static Set<TokenType> operators() {
        return EnumSet.range(POW, SEMICOLON);
    }
}
