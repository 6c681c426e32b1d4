package io.glyphgate.proxy.simulator;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A request that vLLM refuses, with the error that it answers. */
final class Refusal extends RuntimeException {
    private static final long serialVersionUID = 1;
    private static final JsonMapper JSON = new JsonMapper();

    private final int status;
    private final String body;

    private Refusal(int status, String body) {
        super(body, null, false, false);
        this.status = status;
        this.body = body;
    }

    /** A refusal by the handler of the endpoint. */
    static Refusal of(int status, String type, String message, @Nullable String param) {
        return new Refusal(status, error(status, type, message, param));
    }

    /** A refusal with type {@code BadRequestError}, as most are. */
    static Refusal bad(String message) {
        return of(400, "BadRequestError", message, null);
    }

    /** A value that the sampling parameters refuse; their message repeats field and value. */
    static Refusal badValue(String message, String param, Object value) {
        return of(400, "BadRequestError", message + " (parameter=" + param + ", value=" + value + ")", param);
    }

    int status() {
        return status;
    }

    String body() {
        return body;
    }

    /** An error in vLLM's shape. */
    static String error(int status, String type, String message, @Nullable String param) {
        ObjectNode root = JSON.createObjectNode();
        root.putObject("error")
                .put("message", message)
                .put("type", type)
                .put("param", param)
                .put("code", status);
        return root.toString();
    }

    /** Collects what is wrong with a body, and words it as FastAPI and vLLM do: as Python writes dictionaries. */
    static final class Problems {
        private static final int SHOWN = 10;

        private final List<String> lines = new ArrayList<>();
        private @Nullable String firstPlace;

        /**
         * Adds a problem.
         *
         * @param type the kind of problem
         * @param place the path of the field
         * @param message what is wrong
         * @param input the value
         * @param context the rest of the entry, in Python's notation, or null
         */
        void add(String type, String place, String message, String input, @Nullable String context) {
            if (firstPlace == null) {
                firstPlace = place;
            }
            lines.add("{'type': " + python(type) + ", 'loc': " + python(place) + ", 'msg': " + python(message)
                    + ", 'input': " + python(input) + (context == null ? "" : ", 'ctx': {" + context + "}") + "}");
        }

        /** Adds a problem that a check found, in place of a type. */
        void addValueError(String place, String message, String input) {
            add("value_error", place, "Value error, " + message, input, "'error': ValueError(" + python(message) + ")");
        }

        /** Adds a problem that is only a sentence. */
        void addPlain(String sentence) {
            lines.add(sentence);
        }

        /** Adds the problems of a part. */
        void addAll(Problems part) {
            lines.addAll(part.lines);
            if (firstPlace == null) {
                firstPlace = part.firstPlace;
            }
        }

        boolean isEmpty() {
            return lines.isEmpty();
        }

        /** Refuses the request if there was a problem. */
        void check() {
            if (!isEmpty()) {
                throw refusal();
            }
        }

        /** The refusal for the problems that there were. vLLM names ten of them. */
        Refusal refusal() {
            int count = lines.size();
            String noun = count == 1 ? " error" : " errors";
            String message = count + " validation" + noun + ":\n  "
                    + String.join("\n  ", lines.subList(0, Math.min(SHOWN, count)))
                    + (count > SHOWN ? "\n  ...and " + (count - SHOWN) + " more" + noun : "");
            return of(400, "Bad Request", message, firstPlace);
        }
    }

    /** A string as Python's {@code repr} writes it. */
    static String python(String text) {
        char quote = text.contains("'") && !text.contains("\"") ? '"' : '\'';
        StringBuilder out = new StringBuilder().append(quote);
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '\\' -> out.append("\\\\");
                case '\n' -> out.append("\\n");
                case '\r' -> out.append("\\r");
                case '\t' -> out.append("\\t");
                default -> out.append(c == quote ? "\\" + c : String.valueOf(c));
            }
        }
        return out.append(quote).toString();
    }
}
