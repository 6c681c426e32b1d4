package io.glyphgate.toolkit;

import io.glyphgate.toolkit.PythonArguments.Place;

/** Turns a Python string into the inside of a JSON string, character by character. */
final class PythonString {
    private enum State {
        /** Behind the quotes so far: one, or two that may be an empty string. */
        OPENING,
        TEXT,
        ESCAPE,
        OCTAL,
        HEX
    }

    private State state = State.OPENING;
    private char quote;
    private boolean raw;
    private boolean triple;
    /** How many quotes in a row were read. */
    private int quotes;

    private int code;
    private int digits;

    /** Starts a string behind its first quote. */
    void begin(char firstQuote, boolean rawString) {
        quote = firstQuote;
        raw = rawString;
        triple = false;
        quotes = 1;
        state = State.OPENING;
    }

    /** Takes the next character and writes what it gives. */
    Place take(char c, StringBuilder json) {
        return switch (state) {
            case OPENING -> opening(c, json);
            case TEXT -> text(c, json);
            case ESCAPE -> escape(c, json);
            case OCTAL -> octal(c, json);
            case HEX -> hex(c, json);
        };
    }

    private Place opening(char c, StringBuilder json) {
        if (c == quote) {
            quotes++;
            if (quotes == 3) {
                triple = true;
                quotes = 0;
                state = State.TEXT;
            }
            return Place.INSIDE;
        }
        if (quotes == 2) {
            return Place.AFTER;
        }
        quotes = 0;
        state = State.TEXT;
        return text(c, json);
    }

    private Place text(char c, StringBuilder json) {
        if (c == quote) {
            quotes++;
            return !triple || quotes == 3 ? Place.LAST : Place.INSIDE;
        }
        for (; quotes > 0; quotes--) {
            write(quote, json);
        }
        if (c == '\\') {
            state = State.ESCAPE;
        } else {
            write(c, json);
        }
        return Place.INSIDE;
    }

    private static void write(char c, StringBuilder json) {
        Json.escape(c, json);
    }

    private Place escape(char c, StringBuilder json) {
        state = State.TEXT;
        if (raw) {
            write('\\', json);
            write(c, json);
            return Place.INSIDE;
        }
        switch (c) {
            case 'n' -> write('\n', json);
            case 't' -> write('\t', json);
            case 'r' -> write('\r', json);
            case 'b' -> write('\b', json);
            case 'f' -> write('\f', json);
            case 'a' -> write('\u0007', json);
            case 'v' -> write('\u000b', json);
            case '\\', '\'', '"' -> write(c, json);
            case '\n' -> {}
            case 'x' -> number(State.HEX, 0, 2);
            case 'u' -> number(State.HEX, 0, 4);
            case 'U' -> number(State.HEX, 0, 8);
            case '0', '1', '2', '3', '4', '5', '6', '7' -> number(State.OCTAL, c - '0', 2);
            default -> {
                write('\\', json);
                write(c, json);
            }
        }
        return Place.INSIDE;
    }

    private void number(State next, int start, int digitCount) {
        state = next;
        code = start;
        digits = digitCount;
    }

    private Place octal(char c, StringBuilder json) {
        if (c < '0' || c > '7') {
            writeCode(json);
            return text(c, json);
        }
        code = code * 8 + c - '0';
        digits--;
        if (digits == 0) {
            writeCode(json);
        }
        return Place.INSIDE;
    }

    private Place hex(char c, StringBuilder json) {
        int digit = Character.digit(c, 16);
        if (digit < 0) {
            // Not valid in Python; what was read of the number counts.
            writeCode(json);
            return text(c, json);
        }
        code = code * 16 + digit;
        digits--;
        if (digits == 0) {
            writeCode(json);
        }
        return Place.INSIDE;
    }

    private void writeCode(StringBuilder json) {
        state = State.TEXT;
        Json.escape(Character.isValidCodePoint(code) ? Character.toString(code) : "\ufffd", json);
    }
}
