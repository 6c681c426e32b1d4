package io.glyphgate.jinja.syntax;

import io.glyphgate.jinja.Budget;
import io.glyphgate.jinja.TemplateException;
import io.glyphgate.jinja.value.Repr;
import io.glyphgate.jinja.value.Text;
import java.util.ArrayList;
import java.util.List;

/**
 * Cuts a source into tokens. Blocks are trimmed as Hugging Face has it: the line break after a block goes ({@code
 * trim_blocks}), and so does the white space before a block that starts its line ({@code lstrip_blocks}).
 */
final class Lexer {
    private static final String RAW = "raw";
    private static final String END_RAW = "endraw";

    private final String text;
    private final List<Token> tokens = new ArrayList<>();
    private int at;
    private int line = 1;

    /** Whether what was read last ended with a line break. */
    private boolean startsLine = true;

    private Lexer(Source source) {
        this.text = source.text();
    }

    /** All tokens, the last of them the end. */
    static List<Token> tokens(Source source) {
        Lexer lexer = new Lexer(source);
        while (lexer.at < lexer.text.length()) {
            lexer.dataAndTag();
        }
        lexer.add(TokenType.END, "", lexer.at);
        return lexer.tokens;
    }

    private void dataAndTag() {
        int open = nextTag();
        if (open < 0) {
            addData(text.substring(at), at);
            moveTo(text.length());
            return;
        }
        int dataStart = at;
        char sign = signAt(open + 2);
        char kind = text.charAt(open + 1);
        addData(trimmed(text.substring(dataStart, open), sign, kind != '{'), dataStart);
        moveTo(open);
        switch (kind) {
            case '#' -> comment(sign);
            case '{' -> tag(TokenType.VARIABLE_BEGIN, TokenType.VARIABLE_END, sign);
            default -> {
                if (!raw(sign)) {
                    tag(TokenType.BLOCK_BEGIN, TokenType.BLOCK_END, sign);
                }
            }
        }
    }

    private int nextTag() {
        for (int i = text.indexOf('{', at); i >= 0 && i + 1 < text.length(); i = text.indexOf('{', i + 1)) {
            char c = text.charAt(i + 1);
            if (c == '%' || c == '{' || c == '#') {
                return i;
            }
        }
        return -1;
    }

    /** The sign that says what becomes of the white space beside a tag; 0 if there is none. */
    private char signAt(int index) {
        return index < text.length() && (text.charAt(index) == '-' || text.charAt(index) == '+')
                ? text.charAt(index)
                : 0;
    }

    private String trimmed(String data, char sign, boolean block) {
        if (sign == '-') {
            return Text.stripEnd(data);
        }
        if (sign == 0 && block) {
            int lineStart = data.lastIndexOf('\n') + 1;
            if ((lineStart > 0 || startsLine) && isBlank(data, lineStart)) {
                return data.substring(0, lineStart);
            }
        }
        return data;
    }

    private static boolean isBlank(String data, int from) {
        for (int i = from; i < data.length(); i++) {
            if (!Text.isSpace(data.charAt(i))) {
                return false;
            }
        }
        return true;
    }

    private void addData(String data, int start) {
        if (!data.isEmpty()) {
            add(TokenType.DATA, data, start);
        }
    }

    private void comment(char sign) {
        int close = text.indexOf("#}", at + 2 + (sign == 0 ? 0 : 1));
        if (close < 0) {
            throw failure("Missing end of comment tag");
        }
        // The sign may be the same character as that of the opening: {#-#} has one.
        endTag(close, signBefore(close, at + 2 + (sign == 0 ? 0 : 1)), true);
    }

    private char signBefore(int close, int from) {
        return close - 1 >= from ? signAt(close - 1) : 0;
    }

    /** Goes behind the end of a tag and behind the white space that it takes with it. */
    private void endTag(int close, char sign, boolean trims) {
        int end = close + 2;
        if (sign == '-') {
            while (end < text.length() && Text.isSpace(text.charAt(end))) {
                end++;
            }
        } else if (sign == 0 && trims && end < text.length() && text.charAt(end) == '\n') {
            end++;
        }
        moveTo(end);
    }

    private boolean raw(char sign) {
        int word = skipSpace(at + 2 + (sign == 0 ? 0 : 1));
        if (!text.startsWith(RAW, word)) {
            return false;
        }
        int close = skipSpace(word + RAW.length());
        char closeSign = signAt(close);
        if (closeSign == '-') {
            close++;
        }
        if (!text.startsWith("%}", close)) {
            return false;
        }
        endTag(close, closeSign, false);
        int dataStart = at;
        for (int open = text.indexOf("{%", at); open >= 0; open = text.indexOf("{%", open + 2)) {
            char endSign = signAt(open + 2);
            int endWord = skipSpace(open + 2 + (endSign == 0 ? 0 : 1));
            int endClose = skipSpace(endWord + END_RAW.length());
            char afterSign = signAt(endClose);
            endClose += afterSign == 0 ? 0 : 1;
            if (text.startsWith(END_RAW, endWord) && text.startsWith("%}", endClose)) {
                addData(trimmed(text.substring(dataStart, open), endSign, true), dataStart);
                moveTo(open);
                endTag(endClose, afterSign, true);
                return true;
            }
        }
        throw failure("Missing end of raw directive");
    }

    private int skipSpace(int from) {
        int i = from;
        while (i < text.length() && Text.isSpace(text.charAt(i))) {
            i++;
        }
        return i;
    }

    private void tag(TokenType begin, TokenType end, char sign) {
        int start = at;
        moveTo(at + 2 + (sign == 0 ? 0 : 1));
        add(begin, "", start);
        boolean block = end == TokenType.BLOCK_END;
        TagLexer inside = new TagLexer(text, block ? "%}" : "}}", block);
        while (true) {
            int next = skipSpace(at);
            moveTo(next);
            if (at >= text.length()) {
                return;
            }
            int close = inside.endAt(at);
            if (close >= 0) {
                int tokenStart = at;
                char closeSign = close > at ? signAt(at) : 0;
                endTag(close, closeSign, block);
                add(end, "", tokenStart);
                return;
            }
            TagLexer.Found found = inside.tokenAt(at, this::failure);
            int tokenStart = at;
            int tokenLine = line;
            moveTo(found.end());
            tokens.add(new Token(found.type(), found.value(), tokenLine, tokenStart, at));
        }
    }

    private void moveTo(int index) {
        for (int i = at; i < index; i++) {
            if (text.charAt(i) == '\n') {
                line++;
            }
        }
        if (index > at) {
            startsLine = text.charAt(index - 1) == '\n';
        }
        at = index;
    }

    private void add(TokenType type, Object value, int start) {
        tokens.add(new Token(type, value, line, start, at));
    }

    private TemplateException failure(String reason) {
        return new TemplateException(reason, line, "");
    }

    /** A character as a message shows it. */
    static String shown(int codePoint) {
        return Repr.of(Character.toString(codePoint), new Budget());
    }
}
