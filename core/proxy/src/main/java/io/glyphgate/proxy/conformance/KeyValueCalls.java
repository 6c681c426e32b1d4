package io.glyphgate.proxy.conformance;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.glyphgate.proxy.conformance.Answer.Call;
import io.glyphgate.spi.Tool;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads the calls of Gemma 4: bare keys and values, strings between markers. */
final class KeyValueCalls {
    static final Pattern MARKER = Pattern.compile("<\\|tool_call>|<tool_call\\|>");
    private static final Pattern OPENER =
            Space.pattern("<\\|tool_call>(?:call)?:\\s*(?<name>[^{(<\\n]+?)\\s*(?:[{(]|(?=[<\\n]))");
    private static final Pattern START = Pattern.compile("<\\|tool_call>(?:call)?:");
    private static final Pattern BREAK = Pattern.compile("<\\|tool_call>(?:call)?:|<tool_call\\|>");
    private static final Pattern BEFORE_KEY = Space.pattern("^[,\\s]+");
    private static final String END = "<tool_call|>";
    private static final String QUOTE = "<|\"|>";

    private final List<Tool> tools;
    private final String text;
    private final List<String> pieces = new ArrayList<>();
    private final List<Call> calls = new ArrayList<>();
    private final StringBuilder piece = new StringBuilder();
    private final StringBuilder json = new StringBuilder();
    /** What closes the open brackets, the outer one first. */
    private final StringBuilder closers = new StringBuilder();

    private boolean owed;
    private boolean cutOff;
    /** Whether a quote, a value or a sign is not where it belongs. */
    private boolean irregular;

    /** Whether the call is over, by its own end or another's. */
    private boolean over;

    private int at;

    private KeyValueCalls(List<Tool> tools, String text) {
        this.tools = tools;
        this.text = text;
    }

    static boolean written(GoldenCase golden) {
        return golden.toolParser().filter("gemma4"::equals).isPresent();
    }

    /** Where the first marker stands that the start of a call follows; -1 if there is none. */
    static int opener(String text) {
        Matcher opener = START.matcher(text);
        return opener.find() ? opener.start() : -1;
    }

    static CallParts read(GoldenCase golden, String rest) {
        return new KeyValueCalls(golden.parseRequest().tools(), rest).read();
    }

    private CallParts read() {
        while (at < text.length()) {
            Matcher opener = look(OPENER);
            String rest = text.substring(at);
            if (opener.lookingAt()) {
                endPiece();
                call(opener);
            } else if (owed && rest.startsWith(END)) {
                endPiece();
                owed = false;
                at += END.length();
            } else if (owed && Space.blank(piece.toString()) && END.startsWith(rest)) {
                at = text.length();
            } else {
                piece.append(text.charAt(at));
                at++;
            }
        }
        pieces.add(piece.toString());
        return new CallParts(pieces, calls, cutOff, irregular);
    }

    private Matcher look(Pattern pattern) {
        return pattern.matcher(text).region(at, text.length());
    }

    private void endPiece() {
        pieces.add(Space.stripTrailing(piece.toString()));
        piece.setLength(0);
    }

    private void call(Matcher opener) {
        at = opener.end();
        json.setLength(0);
        closers.setLength(0);
        over = false;
        owed = true;
        object(AllowedTypes.parameters(tools, opener.group("name")));
        if (over) {
            json.append(closers.reverse());
        }
        cutOff |= !over;
        calls.add(new Call("", opener.group("name"), json.toString()));
    }

    private void open(char bracket, char closer) {
        json.append(bracket);
        closers.append(closer);
    }

    private void close() {
        json.append(closers.charAt(closers.length() - 1));
        closers.setLength(closers.length() - 1);
        over = closers.isEmpty();
    }

    /** Whether the reading of the call goes on here. */
    private boolean goesOn() {
        over |= look(BREAK).lookingAt();
        return !over && at < text.length();
    }

    private boolean stands(String what) {
        return text.startsWith(what, at);
    }

    private void object(@Nullable Object schema) {
        open('{', '}');
        boolean top = closers.length() == 1;
        boolean filled = false;
        while (goesOn()) {
            if (stands(",") || Space.is(text.charAt(at))) {
                at++;
            } else if (stands("}") || (top && stands(")"))) {
                at++;
                close();
                return;
            } else {
                String key = key();
                if (goesOn()) {
                    String member = (filled ? ", " : "") + quoted(key) + ": ";
                    filled |= value(AllowedTypes.property(schema, key), member);
                    strays("}", top);
                }
            }
        }
    }

    private String key() {
        int from = at;
        while (goesOn() && !stands(":")) {
            at++;
        }
        String written = Space.strip(text.substring(from, at));
        String key = BEFORE_KEY.matcher(written.replace(QUOTE, "")).replaceFirst("");
        irregular |= !written.equals(key) && !written.equals(QUOTE + key + QUOTE);
        at += at < text.length() && !over ? 1 : 0;
        skipSpace();
        return key;
    }

    private void array(@Nullable Object schema) {
        open('[', ']');
        Object items = schema instanceof Map<?, ?> map ? map.get("items") : null;
        boolean filled = false;
        while (goesOn()) {
            if (stands("]")) {
                at++;
                close();
                return;
            }
            if (stands(",") || Space.is(text.charAt(at))) {
                at++;
            } else {
                filled |= value(items, filled ? ", " : "");
                strays("]", false);
            }
        }
    }

    private void skipSpace() {
        while (at < text.length() && Space.is(text.charAt(at))) {
            at++;
        }
    }

    /** Skips what stands behind a value and is neither a comma nor an end. */
    private void strays(String closer, boolean top) {
        while (goesOn() && !stands(",") && !stands(closer) && !(top && stands(")"))) {
            irregular |= !Space.is(text.charAt(at));
            at++;
        }
    }

    /** Reads a value. Returns false if there is none. */
    private boolean value(@Nullable Object schema, String member) {
        if (stands("{") || stands("[")) {
            json.append(member);
            boolean object = stands("{");
            at++;
            if (object) {
                object(schema);
            } else {
                array(schema);
            }
            return true;
        }
        AllowedTypes types = AllowedTypes.of(schema);
        return stands(QUOTE) ? string(types, member) : bare(types, member);
    }

    private boolean string(AllowedTypes types, String member) {
        int from = at + QUOTE.length();
        int end = text.indexOf(QUOTE, from);
        String value = text.substring(from, end < 0 ? text.length() : end);
        at = end < 0 ? text.length() : end + QUOTE.length();
        if (end < 0) {
            return cut(value, types, member, types.onlyString());
        }
        json.append(member).append(types.json(value).orElseGet(() -> quoted(value)));
        return true;
    }

    private boolean bare(AllowedTypes types, String member) {
        int from = at;
        while (goesOn() && !stands(",") && !stands("}") && !stands("]")) {
            at++;
        }
        String value = Space.strip(text.substring(from, at));
        irregular |= value.isEmpty() || value.contains(QUOTE);
        if (at == text.length() && !over) {
            return cut(value, types, member, false);
        }
        boolean parenthesis = over && value.endsWith(")") && value.indexOf('(') < 0;
        String written = parenthesis ? Space.strip(value.substring(0, value.length() - 1)) : value;
        json.append(member).append(types.json(written).orElseGet(() -> quoted(written)));
        return true;
    }

    private boolean cut(String value, AllowedTypes types, String member, boolean always) {
        if (value.isEmpty() && !always) {
            return false;
        }
        String string = quoted(value);
        String open = string.substring(0, string.length() - 1);
        json.append(member)
                .append(types.structured(value) ? value : types.json(value).orElse(open));
        return true;
    }

    private static String quoted(String text) {
        return JsonNodeFactory.instance.textNode(text).toString();
    }
}
