package io.glyphgate.proxy.wire;

import org.jspecify.annotations.Nullable;

/**
 * Finds where Python's JSON reader gives up, because FastAPI and vLLM name that place: the index of the character, and the
 * reason. For text that no JSON reader takes; slow and simple.
 */
final class PythonJson {
    private static final int DEEPEST = 900;

    private final String text;
    private int at;

    private PythonJson(String text) {
        this.text = text;
    }

    /**
     * A fault.
     *
     * @param position the index of the character, code points counted
     * @param reason why it is wrong
     */
    record Fault(int position, String reason) {}

    /** Ends the search. */
    private static final class Found extends Exception {
        private static final long serialVersionUID = 1;

        private final transient Fault fault;

        Found(Fault fault) {
            super(fault.reason(), null, false, false);
            this.fault = fault;
        }
    }

    /** The first fault; null if Python would take the text. */
    static @Nullable Fault in(String text) {
        PythonJson json = new PythonJson(text);
        try {
            json.skipSpace();
            json.value(0);
            json.skipSpace();
            if (json.at < text.length()) {
                throw json.found(json.at, "Extra data");
            }
            return null;
        } catch (Found e) {
            return e.fault;
        }
    }

    private Found found(int index, String reason) {
        return new Found(new Fault(text.codePointCount(0, index), reason));
    }

    private void skipSpace() {
        while (at < text.length() && " \t\n\r".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }

    private boolean take(char c) {
        if (at < text.length() && text.charAt(at) == c) {
            at++;
            return true;
        }
        return false;
    }

    private void value(int depth) throws Found {
        if (depth > DEEPEST) {
            throw found(at, "Too deep");
        }
        if (take('"')) {
            string();
        } else if (take('{')) {
            object(depth);
        } else if (take('[')) {
            array(depth);
        } else if (!word("null") && !word("true") && !word("false") && !word("NaN") && !word("Infinity") && !word("-Infinity")) {
            number();
        }
    }

    private boolean word(String word) {
        if (text.startsWith(word, at)) {
            at += word.length();
            return true;
        }
        return false;
    }

    private void number() throws Found {
        int start = at;
        take('-');
        if (!take('0') && digits() == 0) {
            throw found(start, "Expecting value");
        }
        int end = at;
        if (take('.')) {
            end = digits() > 0 ? at : end;
            at = end;
        }
        if (take('e') || take('E')) {
            if (!take('+')) {
                take('-');
            }
            end = digits() > 0 ? at : end;
            at = end;
        }
    }

    private int digits() {
        int from = at;
        while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
            at++;
        }
        return at - from;
    }

    private void object(int depth) throws Found {
        skipSpace();
        if (take('}')) {
            return;
        }
        do {
            skipSpace();
            if (!take('"')) {
                throw found(at, "Expecting property name enclosed in double quotes");
            }
            string();
            skipSpace();
            if (!take(':')) {
                throw found(at, "Expecting ':' delimiter");
            }
            skipSpace();
            value(depth + 1);
            skipSpace();
            if (take('}')) {
                return;
            }
        } while (take(','));
        throw found(at, "Expecting ',' delimiter");
    }

    private void array(int depth) throws Found {
        skipSpace();
        if (take(']')) {
            return;
        }
        do {
            skipSpace();
            value(depth + 1);
            skipSpace();
            if (take(']')) {
                return;
            }
        } while (take(','));
        throw found(at, "Expecting ',' delimiter");
    }

    private void string() throws Found {
        int start = at - 1;
        while (at < text.length()) {
            char c = text.charAt(at++);
            if (c == '"') {
                return;
            }
            if (c < 0x20) {
                throw found(at - 1, "Invalid control character at");
            }
            if (c == '\\') {
                escape(start);
            }
        }
        throw found(start, "Unterminated string starting at");
    }

    private void escape(int start) throws Found {
        if (at == text.length()) {
            throw found(start, "Unterminated string starting at");
        }
        char c = text.charAt(at++);
        if (c == 'u') {
            for (int i = 0; i < 4; i++) {
                if (at + i >= text.length() || Character.digit(text.charAt(at + i), 16) < 0) {
                    throw found(at - 1, "Invalid \\uXXXX escape");
                }
            }
            at += 4;
        } else if ("\"\\/bfnrt".indexOf(c) < 0) {
            throw found(at - 2, "Invalid \\escape");
        }
    }
}
