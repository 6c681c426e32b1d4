package io.glyphgate.proxy.wire;

import com.fasterxml.jackson.databind.JsonNode;
import io.glyphgate.proxy.wire.Answer.RawValue;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a client carries from one chunk of a derendered stream to the next. It has the fields of vLLM 0.33's {@code
 * DerenderStreamState}, also where this proxy made it, so that clients which know those fields carry all of it.
 */
public sealed interface StreamState {
    /** The field that vLLM keeps the end of its text in; this proxy keeps all that it needs there. */
    String WINDOW = "prev_tokens";

    /** What a state of this proxy begins with. */
    String MARK = "glyphgate:";

    /**
     * A state that this proxy made, or one like it.
     *
     * @param seal what is signed, without the mark
     * @param history the tokens so far, as this proxy writes them: characters of Base64 between the two places
     */
    record Own(String seal, RawValue history) implements StreamState {}

    /**
     * A state that vLLM made.
     *
     * @param window where no parser reads the text: the tokens that the next text depends on, as the vocabulary writes them
     * @param read how many of those have given their text
     * @param roleSaid whether the role was said
     * @param context the latest tokens, four at most
     * @param textOffset how long the tokens were that logprobs told of, in characters
     * @param tokens where parsers read the text: all tokens so far
     * @param lengths how many of them came with each chunk
     */
    record Foreign(
            List<String> window, int read, boolean roleSaid, int[] context, int textOffset, int[] tokens, int[] lengths)
            implements StreamState {
        /** Whether nothing was said yet. */
        public boolean isFirst() {
            return tokens.length == 0 && window.isEmpty();
        }
    }

    /**
     * Reads a state.
     *
     * @throws InvalidBodyException if it is none
     */
    static StreamState read(RawValue value) {
        try {
            Own own = own(value);
            if (own != null) {
                return own;
            }
            return foreign(Json.MAPPER.readTree(value.bytes(), value.from(), value.to() - value.from()));
        } catch (IOException e) {
            throw fault("it cannot be read: " + e.getMessage());
        }
    }

    /**
     * A state of this proxy: null if it is none. Looks no further than the window, which comes first where this proxy wrote it, and
     * over the history only once.
     */
    private static @Nullable Own own(RawValue value) throws MalformedJsonException {
        JsonSpans json = new JsonSpans();
        byte[] bytes = value.bytes();
        json.reset(bytes, value.to());
        int at = json.skipSpace(json.expect(value.from(), '{'));
        while (bytes[at] != '}') {
            int nameEnd = json.skipString(at);
            int from = json.skipSpace(json.expect(nameEnd, ':'));
            if (json.isString(at, nameEnd, WINDOW) && bytes[from] == '[') {
                int seal = json.skipSpace(from + 1);
                int sealEnd = bytes[seal] == ']' ? seal : json.skipValue(seal);
                if (!json.startsWith(seal, sealEnd, MARK)) {
                    return null;
                }
                int history = json.skipSpace(json.expect(sealEnd, ','));
                int historyEnd = json.skipValue(history);
                if (bytes[history] != '"') {
                    throw new MalformedJsonException("the second entry of " + WINDOW + " is no string");
                }
                String signed = new String(bytes, seal + 1, sealEnd - seal - 2, StandardCharsets.ISO_8859_1);
                return new Own(signed.substring(MARK.length()), new RawValue(bytes, history + 1, historyEnd - 1));
            }
            int next = json.skipSpace(json.skipValue(from));
            at = bytes[next] == ',' ? json.skipSpace(next + 1) : next;
        }
        return null;
    }

    private static InvalidBodyException fault(String message) {
        return new InvalidBodyException(
                List.of(Invalid.of("value_error", List.of(Invalid.BODY, "stream_state"), "invalid stream_state: " + message, null)));
    }

    private static Foreign foreign(JsonNode state) {
        List<String> window = new ArrayList<>();
        for (JsonNode token : state.path(WINDOW)) {
            if (!token.isTextual()) {
                throw fault(WINDOW + " must hold strings");
            }
            window.add(token.textValue());
        }
        if (window.size() > 1024) {
            throw fault(WINDOW + " length (" + window.size() + ") exceeds maximum (1024)");
        }
        int[] tokens = numbers(state, "output_token_ids");
        int[] lengths = numbers(state, "output_chunk_lens");
        long sum = 0;
        for (int length : lengths) {
            sum += length;
            if (length == 0) {
                throw fault("output_chunk_lens must hold numbers above 0");
            }
        }
        if (sum != tokens.length) {
            throw fault("output_chunk_lens must sum to len(output_token_ids) (got sum=" + sum + ", len(output_token_ids)="
                    + tokens.length + ")");
        }
        int[] context = numbers(state, "logprob_context_token_ids");
        if (context.length > 4) {
            throw fault("logprob_context_token_ids holds more than 4");
        }
        int prefix = number(state, "prefix_offset");
        int read = number(state, "read_offset");
        if (prefix > read || read > window.size()) {
            throw fault("the offsets do not lie in " + WINDOW);
        }
        return new Foreign(
                List.copyOf(window.subList(prefix, window.size())),
                read - prefix,
                state.path("role_sent").asBoolean(),
                context,
                number(state, "logprob_text_offset"),
                tokens,
                lengths);
    }

    private static int number(JsonNode state, String name) {
        JsonNode node = state.path(name);
        if (node.isMissingNode()) {
            return 0;
        }
        if (!node.isIntegralNumber() || !node.canConvertToInt() || node.intValue() < 0) {
            throw fault(name + " must be a whole number from 0 on");
        }
        return node.intValue();
    }

    private static int[] numbers(JsonNode state, String name) {
        JsonNode list = state.path(name);
        if (!list.isMissingNode() && !list.isArray()) {
            throw fault(name + " must be a list");
        }
        int[] numbers = new int[list.size()];
        for (int i = 0; i < numbers.length; i++) {
            JsonNode node = list.get(i);
            if (!node.isIntegralNumber() || !node.canConvertToInt() || node.intValue() < 0) {
                throw fault(name + "[" + i + "] must be a whole number from 0 on");
            }
            numbers[i] = node.intValue();
        }
        return numbers;
    }

    /**
     * Writes a state of this proxy.
     *
     * @param seal what is signed, without the mark
     * @param history the tokens so far, in characters that need no escape
     * @param length how many bytes of it count
     * @param roleSaid whether the role was said
     * @param out gains one value
     */
    static void write(String seal, byte[] history, int length, boolean roleSaid, JsonOut out) {
        byte[] quoted = new byte[length + 2];
        quoted[0] = '"';
        System.arraycopy(history, 0, quoted, 1, length);
        quoted[length + 1] = '"';
        out.beginObject().name(WINDOW).beginArray().string(MARK + seal).rawValue(quoted, 0, quoted.length).endArray();
        writeRest(roleSaid, out);
    }

    /** Writes the state of a stream of which nothing was said. */
    static void writeFirst(JsonOut out) {
        out.beginObject().name(WINDOW).beginArray().endArray();
        writeRest(false, out);
    }

    private static void writeRest(boolean roleSaid, JsonOut out) {
        out.name("prefix_offset").number(0).name("read_offset").number(0);
        out.name("role_sent").bool(roleSaid);
        out.name("logprob_context_token_ids").beginArray().endArray();
        out.name("logprob_text_offset").number(0);
        out.name("output_token_ids").beginArray().endArray();
        out.name("output_chunk_lens").beginArray().endArray();
        out.name("tools_streamed").bool(false);
        out.name("last_tool_call_ids").beginArray().endArray();
        out.endObject();
    }
}
