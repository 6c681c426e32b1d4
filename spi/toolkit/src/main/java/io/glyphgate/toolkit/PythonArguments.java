package io.glyphgate.toolkit;

import io.glyphgate.spi.DeltaSink;
import java.util.ArrayList;
import java.util.List;

/**
 * Turns the keyword arguments of a Python call into a JSON object, character by character. Values are literals:
 * strings, numbers, the names of true, false and null in Python's notation or JSON's, lists, tuples, sets and
 * dictionaries. Tuples and sets become arrays; a key that is no string becomes one.
 *
 * <p>A string is passed on as it arrives. A number or name is held to its end, and so is the first element after a
 * brace or a parenthesis, whose successor tells what the bracket means.
 */
final class PythonArguments {
    enum Place {
        /** The character belongs to the arguments. */
        INSIDE,
        /** The character ends something and must be given again. */
        AFTER,
        /** The character is the parenthesis that ends the arguments. */
        LAST,
        /** The character cannot stand here; nor can those of the {@link #undecided} word before it. */
        WRONG
    }

    private enum State {
        KEY_OR_END,
        KEY,
        EQUALS,
        VALUE,
        /** In a number or a name. */
        WORD,
        STRING,
        AFTER_VALUE
    }

    private enum Frame {
        CALL,
        LIST,
        SET,
        TUPLE,
        /** Before or behind a key. */
        DICT,
        /** Before or behind the value of a key. */
        DICT_VALUE,
        /** A brace whose first element is not known to be a key. */
        BRACE,
        /** A parenthesis of which it is not known whether it makes a tuple. */
        PARENTHESIS
    }

    private static final int DECIDED = -1;

    private final StringBuilder json = new StringBuilder();
    private final StringBuilder key = new StringBuilder();
    private final StringBuilder word = new StringBuilder();
    private final PythonString string = new PythonString();
    private final List<Frame> frames = new ArrayList<>();
    /** For each frame, whether it has an element. */
    private final List<Boolean> filled = new ArrayList<>();

    private State state = State.KEY_OR_END;
    private int undecided;
    /** Where in the JSON the bracket stands that is not decided yet; there is never more than one. */
    private int bracketAt = DECIDED;

    /** Starts arguments behind their parenthesis. */
    void begin() {
        json.setLength(0);
        json.append('{');
        frames.clear();
        filled.clear();
        bracketAt = DECIDED;
        undecided = 0;
        open(Frame.CALL);
        state = State.KEY_OR_END;
    }

    /** Starts arguments whose first keyword and equals sign are read. */
    void begin(CharSequence firstKey) {
        begin();
        key.setLength(0);
        key.append(firstKey);
        state = State.VALUE;
    }

    /** How many of the characters taken belong to a word that may yet turn out to be none of the arguments. */
    int undecided() {
        return undecided;
    }

    /** Passes on what is certain of the JSON, but for half a character. */
    void giveTo(DeltaSink out) {
        int certain = bracketAt == DECIDED ? Json.wholeEnd(json, json.length()) : bracketAt;
        if (certain > 0) {
            out.toolArguments(certain == json.length() ? json : json.substring(0, certain));
            json.delete(0, certain);
            bracketAt = bracketAt == DECIDED ? DECIDED : 0;
        }
    }

    /** The output ends: a word counts as what it is by now, without a point behind which no digit has come. */
    void cut() {
        if (state == State.WORD) {
            int last = word.length() - 1;
            word.setLength(word.charAt(last) == '.' ? last : last + 1);
            wordEnded();
        }
        undecided = 0;
        stop();
    }

    /** Nothing more comes: a bracket that is not decided counts as what it looks like. */
    void stop() {
        if (bracketAt != DECIDED) {
            json.insert(bracketAt, top() == Frame.BRACE ? '{' : '[');
            bracketAt = DECIDED;
        }
    }

    static boolean startsName(char c) {
        return Character.isLetter(c) || c == '_';
    }

    static boolean inName(char c) {
        return Character.isLetterOrDigit(c) || c == '_';
    }

    /** Takes a character; one that is {@link Place#INSIDE} or {@link Place#LAST} must not be given again. */
    Place take(char c) {
        return switch (state) {
            case STRING -> inString(c);
            case WORD -> inWord(c);
            case KEY -> inKey(c);
            case EQUALS -> equals(c);
            case KEY_OR_END -> Blank.is(c) ? Place.INSIDE : keyOrEnd(c);
            case VALUE -> Blank.is(c) ? Place.INSIDE : value(c);
            case AFTER_VALUE -> Blank.is(c) ? Place.INSIDE : afterValue(c);
        };
    }

    private Place keyOrEnd(char c) {
        if (c == ')') {
            json.append('}');
            return Place.LAST;
        }
        if (!startsName(c)) {
            return Place.WRONG;
        }
        key.setLength(0);
        key.append(c);
        undecided = 1;
        state = State.KEY;
        return Place.INSIDE;
    }

    private Place inKey(char c) {
        if (!inName(c)) {
            state = State.EQUALS;
            return Place.AFTER;
        }
        key.append(c);
        undecided++;
        return Place.INSIDE;
    }

    private Place equals(char c) {
        if (c == '=') {
            undecided = 0;
            state = State.VALUE;
            return Place.INSIDE;
        }
        if (!Blank.is(c)) {
            return Place.WRONG;
        }
        undecided++;
        return Place.INSIDE;
    }

    private Place value(char c) {
        switch (c) {
            case '"', '\'' -> openString(c, false);
            case '[', '{', '(' -> {
                if (top() == Frame.DICT) {
                    return Place.WRONG;
                }
                settle();
                element();
                switch (c) {
                    case '[' -> {
                        json.append('[');
                        open(Frame.LIST);
                    }
                    case '{' -> {
                        bracketAt = json.length();
                        open(Frame.BRACE);
                    }
                    default -> {
                        bracketAt = json.length();
                        open(Frame.PARENTHESIS);
                    }
                }
            }
            case ']', '}', ')' -> {
                return top() != Frame.CALL && top() != Frame.DICT_VALUE && close(c) ? Place.INSIDE : Place.WRONG;
            }
            default -> {
                if (!inWordSign(c)) {
                    return Place.WRONG;
                }
                word.setLength(0);
                word.append(c);
                undecided = 1;
                state = State.WORD;
            }
        }
        return Place.INSIDE;
    }

    private void openString(char quote, boolean raw) {
        element();
        json.append('"');
        string.begin(quote, raw);
        state = State.STRING;
    }

    private Place inString(char c) {
        Place place = string.take(c, json);
        if (place == Place.INSIDE) {
            return place;
        }
        json.append('"');
        state = State.AFTER_VALUE;
        return place == Place.LAST ? Place.INSIDE : Place.AFTER;
    }

    private static boolean inWordSign(char c) {
        return inName(c) || c == '-' || c == '+' || c == '.';
    }

    private Place inWord(char c) {
        if (inWordSign(c)) {
            word.append(c);
            undecided++;
            return Place.INSIDE;
        }
        if ((c == '"' || c == '\'') && word.length() == 1 && "rRuU".indexOf(word.charAt(0)) >= 0) {
            undecided = 0;
            openString(c, "rR".indexOf(word.charAt(0)) >= 0);
            return Place.INSIDE;
        }
        return wordEnded() ? Place.AFTER : Place.WRONG;
    }

    /** Writes the word as a value. Returns false if it is none. */
    private boolean wordEnded() {
        String value = PythonLiteral.json(word.toString());
        if (value == null) {
            return false;
        }
        boolean quoted = top() == Frame.DICT;
        element();
        if (quoted) {
            json.append('"');
        }
        json.append(value);
        if (quoted) {
            json.append('"');
        }
        undecided = 0;
        state = State.AFTER_VALUE;
        return true;
    }

    private Place afterValue(char c) {
        if (top() == Frame.CALL && c == ')') {
            json.append('}');
            return Place.LAST;
        }
        boolean right = switch (top()) {
            case CALL -> {
                state = State.KEY_OR_END;
                yield c == ',';
            }
            case LIST, SET, TUPLE -> c == ',' ? next(top()) : close(c);
            case BRACE -> switch (c) {
                case ':' -> {
                    decide('{', Frame.DICT);
                    yield colon();
                }
                case ',' -> {
                    decide('[', Frame.SET);
                    yield next(Frame.SET);
                }
                default -> close(c);
            };
            case PARENTHESIS -> {
                if (c == ',') {
                    decide('[', Frame.TUPLE);
                    yield next(Frame.TUPLE);
                }
                yield close(c);
            }
            case DICT -> c == ':' && colon();
            case DICT_VALUE -> c == ',' ? next(Frame.DICT) : close(c);
        };
        return right ? Place.INSIDE : Place.WRONG;
    }

    private boolean colon() {
        json.append(": ");
        return next(Frame.DICT_VALUE);
    }

    private boolean next(Frame frame) {
        frames.set(frames.size() - 1, frame);
        state = State.VALUE;
        return true;
    }

    private Frame top() {
        return frames.getLast();
    }

    private void open(Frame frame) {
        frames.add(frame);
        filled.add(false);
        state = State.VALUE;
    }

    /** Closes the innermost bracket. Returns false if it is none that the character closes. */
    private boolean close(char c) {
        boolean empty = !filled.getLast();
        boolean right = switch (top()) {
            case CALL -> false;
            case LIST -> c == ']';
            case TUPLE, PARENTHESIS -> c == ')';
            case SET, DICT, DICT_VALUE, BRACE -> c == '}';
        };
        if (!right) {
            return false;
        }
        switch (top()) {
            case CALL -> throw new IllegalStateException("a call is closed by its own parenthesis");
            case LIST, SET, TUPLE -> json.append(']');
            case DICT, DICT_VALUE -> json.append('}');
            case BRACE -> {
                decide(empty ? '{' : '[', Frame.BRACE);
                json.append(empty ? '}' : ']');
            }
            case PARENTHESIS -> {
                if (empty) {
                    json.append("[]");
                }
                // With one element and no comma it is that element.
                bracketAt = DECIDED;
            }
        }
        frames.removeLast();
        filled.removeLast();
        state = State.AFTER_VALUE;
        return true;
    }

    /** Writes the bracket that was not decided. */
    private void decide(char bracket, Frame frame) {
        json.insert(bracketAt, bracket);
        if (frame == Frame.DICT && json.charAt(bracketAt + 1) != '"') {
            json.insert(bracketAt + 1, '"').append('"');
        }
        bracketAt = DECIDED;
        frames.set(frames.size() - 1, frame);
    }

    /** An element that is no word and no string: no key can be one. */
    private void settle() {
        switch (top()) {
            case BRACE -> decide('[', Frame.SET);
            case PARENTHESIS -> decide('[', Frame.TUPLE);
            case CALL, LIST, SET, TUPLE, DICT, DICT_VALUE -> {}
        }
    }

    /** Writes what stands in JSON before an element. */
    private void element() {
        if (top() == Frame.DICT_VALUE) {
            return;
        }
        if (filled.getLast()) {
            json.append(", ");
        }
        filled.set(filled.size() - 1, true);
        if (top() == Frame.CALL) {
            json.append('"').append(key).append("\": ");
        }
    }
}
