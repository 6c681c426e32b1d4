package io.glyphgate.proxy.choice;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads the arguments of one call after the other, cut anywhere, and says whether they are JSON and what their schema
 * allows. Keeps of a value no more than its first characters, and for each object that is open which of the required
 * properties it has. Arguments that are nested too deep are not looked at further.
 */
public final class ArgumentsCheck {
    /** How much of a string, a number or a property's name is kept. */
    private static final int LONGEST = 256;

    private static final int DEEPEST = 64;
    /** So many required properties of an object fit the bits of a long. */
    private static final int MOST_REQUIRED = 64;

    private enum State {
        VALUE,
        VALUE_OR_END,
        NAME,
        NAME_OR_END,
        COLON,
        COMMA_OR_END,
        STRING,
        ESCAPE,
        UNICODE,
        LITERAL,
        DONE,
        /** Not looked at further. */
        OFF
    }

    /** An object or an array that is open. */
    private static final class Level {
        private boolean object;
        /** The schema of its inside; null if there is none. */
        private @Nullable Map<?, ?> schema;

        private List<?> required = List.of();
        /** Which of the required properties it has, by their bits. */
        private long has;
    }

    private final List<Level> levels = new ArrayList<>();
    private final StringBuilder text = new StringBuilder();

    private @Nullable ArgumentsSchema schema;
    private State state = State.OFF;
    private int depth;
    /** The schema of the value that comes next or is being read; null if there is none. */
    private @Nullable Object valueSchema;

    private boolean isName;
    private boolean textCut;
    private int unicode;
    private int unicodeLeft;
    private boolean malformed;
    private boolean offSchema;

    /** Starts the arguments of the next call, of which only the JSON matters. */
    public void begin() {
        begin(null);
    }

    /** Starts the arguments of the next call; without a schema they only have to be JSON. */
    void begin(@Nullable ArgumentsSchema schema) {
        this.schema = schema;
        valueSchema = schema == null ? null : schema.root();
        state = State.VALUE;
        depth = 0;
        malformed = false;
        offSchema = false;
    }

    /** Takes the next piece. */
    public void take(CharSequence json) {
        for (int i = 0; i < json.length() && state != State.OFF; i++) {
            take(json.charAt(i));
        }
    }

    /** The arguments have ended. */
    void end() {
        if (state == State.LITERAL) {
            literalEnded();
        }
    }

    /** Whether what came is not the start of a JSON value. */
    public boolean malformed() {
        return malformed;
    }

    /** Whether the value is whole, or was not looked at to its end. */
    public boolean complete() {
        return state == State.DONE || state == State.OFF;
    }

    /** Whether the value is not what the schema allows. */
    boolean offSchema() {
        return offSchema;
    }

    private void take(char c) {
        switch (state) {
            case STRING -> string(c);
            case ESCAPE -> escape(c);
            case UNICODE -> unicode(c);
            case LITERAL -> {
                if (isLiteral(c)) {
                    keep(c);
                } else {
                    literalEnded();
                    if (state != State.OFF) {
                        take(c);
                    }
                }
            }
            case VALUE, VALUE_OR_END, NAME, NAME_OR_END, COLON, COMMA_OR_END, DONE -> {
                if (c != ' ' && c != '\n' && c != '\t' && c != '\r') {
                    sign(c);
                }
            }
            case OFF -> {}
        }
    }

    /** Takes a character between values. */
    private void sign(char c) {
        boolean ends = state == State.VALUE_OR_END || state == State.NAME_OR_END || state == State.COMMA_OR_END;
        if (ends && depth > 0 && c == (level().object ? '}' : ']')) {
            close();
            return;
        }
        switch (state) {
            case VALUE, VALUE_OR_END -> value(c);
            case NAME, NAME_OR_END -> {
                if (c == '"') {
                    beginText(State.STRING, true);
                } else {
                    malform();
                }
            }
            case COLON -> expect(c == ':', State.VALUE);
            case COMMA_OR_END -> {
                expect(c == ',', level().object ? State.NAME : State.VALUE);
                nextElement();
            }
            case STRING, ESCAPE, UNICODE, LITERAL, DONE, OFF -> malform();
        }
    }

    private void expect(boolean met, State next) {
        if (met) {
            state = next;
        } else {
            malform();
        }
    }

    private void malform() {
        malformed = true;
        state = State.OFF;
    }

    private Level level() {
        return levels.get(depth - 1);
    }

    private void value(char c) {
        switch (c) {
            case '{' -> open(JsonType.OBJECT);
            case '[' -> open(JsonType.ARRAY);
            case '"' -> beginText(State.STRING, false);
            default -> {
                if (isLiteral(c)) {
                    beginText(State.LITERAL, false);
                    keep(c);
                } else {
                    malform();
                }
            }
        }
    }

    private void open(JsonType type) {
        if (depth == DEEPEST) {
            state = State.OFF;
            return;
        }
        if (depth == levels.size()) {
            levels.add(new Level());
        }
        Level level = levels.get(depth++);
        level.object = type == JsonType.OBJECT;
        level.schema = null;
        level.required = List.of();
        level.has = 0;
        if (schema != null && valueSchema != null) {
            offSchema |= !schema.allows(valueSchema, type);
            level.schema = schema.inside(valueSchema, type);
            if (level.object && level.schema != null) {
                level.required = ArgumentsSchema.required(level.schema);
            }
        }
        state = level.object ? State.NAME_OR_END : State.VALUE_OR_END;
        nextElement();
    }

    /** Where elements of an array follow each other, they have one schema. */
    private void nextElement() {
        if (state == State.OFF) {
            return;
        }
        Level level = level();
        if (!level.object) {
            valueSchema = level.schema == null ? null : ArgumentsSchema.items(level.schema);
        }
    }

    private void close() {
        Level level = level();
        int required = Math.min(level.required.size(), MOST_REQUIRED);
        for (int i = 0; i < required; i++) {
            offSchema |= (level.has & (1L << i)) == 0 && level.required.get(i) instanceof String;
        }
        depth--;
        valueEnded();
    }

    private void valueEnded() {
        state = depth == 0 ? State.DONE : State.COMMA_OR_END;
    }

    private void beginText(State next, boolean name) {
        state = next;
        isName = name;
        text.setLength(0);
        textCut = false;
    }

    private void keep(char c) {
        if (text.length() < LONGEST) {
            text.append(c);
        } else {
            textCut = true;
        }
    }

    private void string(char c) {
        if (c == '"') {
            if (isName) {
                named();
                state = State.COLON;
            } else {
                judge(JsonType.STRING);
                valueEnded();
            }
        } else if (c == '\\') {
            state = State.ESCAPE;
        } else if (c < ' ') {
            malform();
        } else {
            keep(c);
        }
    }

    private void escape(char c) {
        state = State.STRING;
        switch (c) {
            case '"', '\\', '/' -> keep(c);
            case 'b' -> keep('\b');
            case 'f' -> keep('\f');
            case 'n' -> keep('\n');
            case 'r' -> keep('\r');
            case 't' -> keep('\t');
            case 'u' -> {
                state = State.UNICODE;
                unicode = 0;
                unicodeLeft = 4;
            }
            default -> malform();
        }
    }

    private void unicode(char c) {
        int digit = c < 128 ? Character.digit(c, 16) : -1;
        if (digit < 0) {
            malform();
            return;
        }
        unicode = unicode * 16 + digit;
        if (--unicodeLeft == 0) {
            keep((char) unicode);
            state = State.STRING;
        }
    }

    /** Takes the name of a property. */
    private void named() {
        Level level = level();
        valueSchema = null;
        if (level.schema == null || textCut) {
            return;
        }
        String name = text.toString();
        int required = Math.min(level.required.size(), MOST_REQUIRED);
        for (int i = 0; i < required; i++) {
            if (name.equals(level.required.get(i))) {
                level.has |= 1L << i;
            }
        }
        offSchema |= ArgumentsSchema.forbids(level.schema, name);
        valueSchema = ArgumentsSchema.property(level.schema, name);
    }

    private static boolean isLiteral(char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '+' || c == '.';
    }

    private void literalEnded() {
        JsonType type = literal();
        if (type == null) {
            malform();
            return;
        }
        judge(type);
        valueEnded();
    }

    /** The type of the number or the word that is kept; null if it is neither. */
    private @Nullable JsonType literal() {
        if (equalsText("null")) {
            return JsonType.NULL;
        }
        if (equalsText("true") || equalsText("false")) {
            return JsonType.BOOLEAN;
        }
        return textCut ? longNumber() : JsonNumber.type(text);
    }

    /** A text that is too long to be kept is taken for a number if it starts as one. */
    private @Nullable JsonType longNumber() {
        return text.charAt(0) <= '9' ? JsonType.INTEGER : null;
    }

    private boolean equalsText(String word) {
        return !textCut && word.contentEquals(text);
    }

    private void judge(JsonType type) {
        if (schema != null && valueSchema != null) {
            offSchema |= !schema.allows(valueSchema, type) || !schema.allowsScalar(valueSchema, type, text, textCut);
        }
    }
}
