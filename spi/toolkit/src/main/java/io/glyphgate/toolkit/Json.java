package io.glyphgate.toolkit;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** JSON text: writing strings, telling whether a text is a value, and reading values. */
final class Json {
    private static final String HEX = "0123456789abcdef";
    private static final int MAX_DEPTH = 1000;
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(MAX_DEPTH)
                    .maxNumberLength(Integer.MAX_VALUE)
                    .maxStringLength(Integer.MAX_VALUE)
                    .build())
            .build();

    private Json() {}

    /** Appends text as the inside of a JSON string. Only what JSON demands is escaped. */
    static void escape(CharSequence text, StringBuilder to) {
        for (int i = 0; i < text.length(); i++) {
            escape(text.charAt(i), to);
        }
    }

    /** Appends a character as part of a JSON string. */
    static void escape(char c, StringBuilder to) {
        switch (c) {
            case '"' -> to.append("\\\"");
            case '\\' -> to.append("\\\\");
            case '\n' -> to.append("\\n");
            case '\r' -> to.append("\\r");
            case '\t' -> to.append("\\t");
            case '\b' -> to.append("\\b");
            case '\f' -> to.append("\\f");
            default -> {
                if (c < ' ') {
                    to.append("\\u00").append(HEX.charAt(c >> 4)).append(HEX.charAt(c & 15));
                } else {
                    to.append(c);
                }
            }
        }
    }

    /**
     * Where the characters end that are whole: clients may decode each piece by itself, and two halves of a character that an
     * escape gave one after the other would never become one.
     *
     * @param end where the text ends
     */
    static int wholeEnd(CharSequence text, int end) {
        return end > 0 && Character.isHighSurrogate(text.charAt(end - 1)) ? end - 1 : end;
    }

    /**
     * Whether a text is one JSON value whose numbers a double can hold, with the given start.
     *
     * @param start the token that the value starts with; {@link JsonToken#NOT_AVAILABLE} for any
     */
    static boolean isValue(String text, JsonToken start) {
        try (JsonParser parser = FACTORY.createParser(text)) {
            JsonToken token = parser.nextToken();
            if (token == null || (start != JsonToken.NOT_AVAILABLE && token != start)) {
                return false;
            }
            int depth = 0;
            for (; token != null; token = parser.nextToken()) {
                if (token.isStructStart()) {
                    depth++;
                } else if (token.isStructEnd()) {
                    depth--;
                } else if (token == JsonToken.VALUE_NUMBER_FLOAT
                        && !Double.isFinite(Double.parseDouble(parser.getText()))) {
                    return false;
                }
                if (depth == 0) {
                    return parser.nextToken() == null;
                }
            }
            return false;
        } catch (IOException notJson) {
            return false;
        }
    }

    /** The names of the members of a JSON object; empty if a text is none. */
    static Optional<Set<String>> keys(String text) {
        if (!isValue(text, JsonToken.START_OBJECT)) {
            return Optional.empty();
        }
        try (JsonParser parser = FACTORY.createParser(text)) {
            Set<String> keys = new HashSet<>();
            parser.nextToken();
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                keys.add(parser.currentName());
                parser.nextToken();
                parser.skipChildren();
            }
            return Optional.of(keys);
        } catch (IOException e) {
            throw new UncheckedIOException("a text that was JSON is none any more", e);
        }
    }

    /**
     * What a JSON text says.
     *
     * @return maps, lists, strings, numbers and booleans
     * @throws IllegalArgumentException if it is no JSON value, or holds a null
     */
    static Object value(String text) {
        try (JsonParser parser = FACTORY.createParser(text)) {
            parser.nextToken();
            Object value = value(parser);
            if (parser.nextToken() != null) {
                throw new IllegalArgumentException("text follows the JSON value");
            }
            return value;
        } catch (IOException e) {
            throw new IllegalArgumentException("this is no JSON: " + e.getMessage(), e);
        }
    }

    private static Object value(JsonParser parser) throws IOException {
        return switch (parser.currentToken()) {
            case START_OBJECT -> {
                Map<String, Object> members = new LinkedHashMap<>();
                while (parser.nextToken() == JsonToken.FIELD_NAME) {
                    String name = parser.currentName();
                    parser.nextToken();
                    members.put(name, value(parser));
                }
                yield members;
            }
            case START_ARRAY -> {
                List<Object> items = new ArrayList<>();
                while (parser.nextToken() != JsonToken.END_ARRAY) {
                    items.add(value(parser));
                }
                yield items;
            }
            case VALUE_STRING -> parser.getText();
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> parser.getNumberValue();
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            case null, default -> throw new IllegalArgumentException("it holds a null, or nothing");
        };
    }
}
