package io.glyphgate.jinja.syntax;

import io.glyphgate.jinja.TemplateException;
import java.util.List;

/** The tokens of a template and how far the parser is. */
final class Tokens {
    private final List<Token> tokens;
    private int at;

    Tokens(List<Token> tokens) {
        this.tokens = tokens;
    }

    Token current() {
        return tokens.get(at);
    }

    Token following() {
        return tokens.get(Math.min(at + 1, tokens.size() - 1));
    }

    boolean is(TokenType type) {
        return current().type() == type;
    }

    boolean isName(String name) {
        return current().isName(name);
    }

    Token next() {
        Token token = current();
        if (token.type() != TokenType.END) {
            at++;
        }
        return token;
    }

    boolean skip(TokenType type) {
        boolean found = is(type);
        if (found) {
            next();
        }
        return found;
    }

    boolean skipName(String name) {
        boolean found = isName(name);
        if (found) {
            next();
        }
        return found;
    }

    Token expect(TokenType type) {
        if (!is(type)) {
            throw expected(type.description());
        }
        return next();
    }

    void expectName(String name) {
        if (!skipName(name)) {
            throw expected(name);
        }
    }

    private TemplateException expected(String what) {
        return failure(is(TokenType.END)
                ? "unexpected end of template, expected '" + what + "'."
                : "expected token '" + what + "', got '" + current().description() + "'");
    }

    TemplateException failure(String reason) {
        return new TemplateException(reason, current().line(), "");
    }

    /** From a token to the last one that was taken. */
    Span since(Token first) {
        int end = at == 0 ? first.end() : tokens.get(at - 1).end();
        return new Span(first.line(), first.start(), Math.max(first.end(), end));
    }
}
