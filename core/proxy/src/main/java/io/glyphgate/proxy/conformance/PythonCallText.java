package io.glyphgate.proxy.conformance;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.glyphgate.proxy.conformance.Answer.Call;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The Python calls at one place of a text, read with all of it at hand, as far as they can be read. */
final class PythonCallText {
    private static final Pattern START = Space.pattern("\\s*([A-Za-z_][\\w.]*)\\((?=\\s*(?:\\)|[A-Za-z_]\\w*\\s*=))");
    private static final Pattern NAME = Space.pattern("\\s*[A-Za-z_]");
    private static final Pattern KEY = Space.pattern("\\s*([A-Za-z_]\\w*)\\s*=");
    private static final Pattern CUT_KEY = Space.pattern("\\s*(?:[A-Za-z_]\\w*\\s*)?");
    private static final Pattern END = Space.pattern("\\s*\\)");
    private static final Pattern COMMA = Space.pattern("\\s*,");
    private static final Pattern SET = Space.pattern("\\s*[,}]");
    private static final Pattern LIST_END = Space.pattern("\\s*]");
    private static final Pattern DICT_END = Space.pattern("\\s*}");
    private static final Pattern COLON = Space.pattern("\\s*:\\s*");
    private static final Pattern SPACE = Space.pattern("\\s*");
    private static final Pattern WORD = Pattern.compile("[\\w.+-]*");
    /** The number of a character in an escape. */
    private static final Pattern CODE = Pattern.compile("u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}");

    private static final Pattern WHOLE = Pattern.compile("^([+-]?[0-9]+)\\.?(?=[eE]|$)");
    private static final Pattern RADIX = Pattern.compile("([+-]?)0([xXoObB])([0-9a-fA-F]+)");
    private static final String DIGITS = "[0-9](?:_?[0-9])*";
    private static final Pattern NUMBER = Pattern.compile(
            "[+-]?(?:0(?:_?0)*|[1-9](?:_?[0-9])*|D\\.(?:D)?(?:E)?|\\.D(?:E)?|DE)"
                    .replace("E", "[eE][+-]?[0-9]+")
                    .replace("D", DIGITS));

    private final String text;
    private final List<Call> calls = new ArrayList<>();
    private boolean broken;

    private int at;

    private PythonCallText(String text, int from) {
        this.text = text;
        this.at = from;
    }

    /**
     * Reads the calls from a place on.
     *
     * @param separated whether a comma stands between two of them
     */
    static PythonCallText at(String text, int from, boolean separated) {
        PythonCallText list = new PythonCallText(text, from);
        while (!list.broken && list.call()) {
            list.broken = list.broken || !(separated ? list.skip(COMMA) : list.look(NAME).lookingAt());
        }
        return list;
    }

    /** The calls, the last one possibly cut. */
    List<Call> calls() {
        return calls;
    }

    /** Where the reading ended. */
    int end() {
        return at;
    }

    private Matcher look(Pattern pattern) {
        return pattern.matcher(text).region(at, text.length());
    }

    private boolean skip(Pattern pattern) {
        Matcher matcher = look(pattern);
        boolean found = matcher.lookingAt();
        at = found ? matcher.end() : at;
        return found;
    }

    private String take(Pattern pattern) {
        Matcher matcher = pattern.matcher(text).region(at, text.length());
        matcher.useTransparentBounds(true);
        if (!matcher.lookingAt()) {
            return "";
        }
        at = matcher.end();
        return matcher.groupCount() > 0 ? matcher.group(1) : matcher.group();
    }

    private boolean call() {
        String name = take(START);
        if (name.isEmpty()) {
            return false;
        }
        StringBuilder json = new StringBuilder("{");
        boolean whole = skip(END);
        while (!whole && !broken) {
            int before = json.length();
            int keyAt = at;
            String key = take(KEY);
            if (key.isEmpty()) {
                at = CUT_KEY.matcher(text).region(at, text.length()).matches() ? text.length() : keyAt;
                broken = true;
            } else {
                json.append(before > 1 ? ", " : "").append('"').append(key).append("\": ");
                int valueAt = json.length();
                broken = !value(json);
                json.setLength(json.length() == valueAt ? before : json.length());
                whole = !broken && skip(END);
                broken = broken || (!whole && !skip(COMMA));
                whole = whole || (!broken && skip(END));
            }
        }
        calls.add(new Call("", name, whole ? json + "}" : json.toString()));
        return true;
    }

    /** Reads a value. Returns false if the text ends in it, or it is none. */
    private boolean value(StringBuilder json) {
        skip(SPACE);
        if (at == text.length()) {
            return false;
        }
        return switch (text.charAt(at)) {
            case '"', '\'' -> string(json);
            case '[' -> elements(json, ']', false);
            case '{' -> elements(json, '}', true);
            case '(' -> elements(json, ')', false);
            default -> word(json);
        };
    }

    private boolean word(StringBuilder json) {
        int from = at;
        String taken = take(WORD);
        // A point that the end of the text cuts off is not read.
        String word = at == text.length() && taken.endsWith(".") ? taken.substring(0, taken.length() - 1) : taken;
        String literal =
                switch (word) {
                    case "True", "true" -> "true";
                    case "False", "false" -> "false";
                    case "None", "null" -> "null";
                    default -> literal(word);
                };
        json.append(literal);
        if (literal.isEmpty()) {
            at = from;
        }
        return !literal.isEmpty() && at < text.length();
    }

    private boolean string(StringBuilder json) {
        char quote = text.charAt(at);
        StringBuilder value = new StringBuilder();
        boolean closed = false;
        for (at++; at < text.length() && !closed; at++) {
            char c = text.charAt(at);
            if (c == '\\') {
                at++;
                Matcher code = CODE.matcher(text).region(at, text.length());
                if (code.lookingAt()) {
                    value.appendCodePoint(Integer.parseInt(code.group().substring(1), 16));
                    at = code.end() - 1;
                } else {
                    value.append(at < text.length() ? escaped(text.charAt(at)) : "");
                }
            } else if (c == quote) {
                closed = true;
            } else {
                value.append(c);
            }
        }
        at = Math.min(at, text.length());
        String quoted = JsonNodeFactory.instance.textNode(value.toString()).toString();
        json.append(closed ? quoted : quoted.substring(0, quoted.length() - 1));
        return closed;
    }

    private static int base(String letter) {
        return switch (letter.toLowerCase(Locale.ROOT)) {
            case "x" -> 16;
            case "o" -> 8;
            default -> 2;
        };
    }

    private static String literal(String word) {
        boolean decimal = NUMBER.matcher(word).matches() && Double.isFinite(Double.parseDouble(word.replace("_", "")));
        boolean whole = word.matches("[+-]?[0-9_]+") && NUMBER.matcher(word).matches();
        return decimal || whole || RADIX.matcher(word).matches() ? number(word) : "";
    }

    /** A number with a digit behind its point, if it is no integer. */
    private static String number(String word) {
        Matcher radix = RADIX.matcher(word);
        if (radix.matches()) {
            return new BigInteger(radix.group(1) + radix.group(3), base(radix.group(2))).toString();
        }
        String digits = word.replace("_", "").replaceFirst("^\\+", "").replaceFirst("^(-?)0+(?=[0-9])", "$1");
        String json = digits.startsWith(".") ? "0" + digits : digits.replace("-.", "-0.");
        return json.matches("-?[0-9]+") ? json : WHOLE.matcher(json).replaceFirst("$1.0");
    }

    private static String escaped(char c) {
        return switch (c) {
            case 'n' -> "\n";
            case 't' -> "\t";
            case 'r' -> "\r";
            case '\\', '\'', '"' -> String.valueOf(c);
            default -> "\\" + c;
        };
    }

    private boolean elements(StringBuilder json, char close, boolean keys) {
        int opened = json.length();
        json.append(text.charAt(at) == '(' ? '[' : text.charAt(at));
        at++;
        boolean first = true;
        boolean listed = close != ')';
        boolean keyed = keys;
        while (true) {
            skip(SPACE);
            if (at < text.length() && text.charAt(at) == close) {
                at++;
                if (listed || json.length() == opened + 1) {
                    json.append(json.charAt(opened) == '[' ? ']' : '}');
                } else {
                    // One value in parentheses is that value.
                    json.deleteCharAt(opened);
                }
                return true;
            }
            if (!first && !skip(COMMA)) {
                return false;
            }
            listed |= !first;
            if (!first && look(close == ')' ? END : close == ']' ? LIST_END : DICT_END).lookingAt()) {
                // A comma may stand behind the last element.
                first = true;
                continue;
            }
            int before = json.length();
            json.append(first ? "" : ", ");
            int valueAt = json.length();
            boolean valued = value(json);
            if (valued && keyed && first && look(SET).lookingAt()) {
                // Without a key the first value is one of a set.
                keyed = false;
                json.setCharAt(opened, '[');
            }
            first = false;
            if (!valued || (keyed && !colon(json))) {
                json.setLength(json.length() == valueAt ? before : json.length());
                return false;
            }
        }
    }

    private boolean colon(StringBuilder json) {
        if (!skip(COLON)) {
            return false;
        }
        json.append(": ");
        return value(json);
    }
}
