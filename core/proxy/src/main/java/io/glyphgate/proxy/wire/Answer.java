package io.glyphgate.proxy.wire;

import io.glyphgate.proxy.wire.Members.Field;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One answer of {@code /inference/v1/generate}: a whole answer, or one event of a stream, which have the same shape. It holds
 * where the fields that matter lie in the bytes; what it does not know stays in the bytes untouched. The order and the
 * presence of fields do not matter: vLLM's Rust frontend sends few of them. The object is reused for the next event.
 */
public final class Answer {
    private final JsonSpans spans = new JsonSpans();
    private final Members members = new Members();
    private final List<AnswerChoice> choices = new ArrayList<>();
    private byte[] bytes = new byte[0];
    private int choiceCount;
    private boolean transferHidden;

    /** One entry of {@code choices}. */
    public final class AnswerChoice {
        private final Members members = new Members();
        private final ChoiceEdit edit = new ChoiceEdit();
        private int index;
        private int[] tokenIds = new int[16];
        private int tokenCount;
        private @Nullable String finishReason;

        /** {@code index}; 0 if absent. */
        public int index() {
            return index;
        }

        /** The array that starts with the token IDs; valid until the next scan. */
        public int[] tokenIds() {
            return tokenIds;
        }

        /** How many token IDs there are. */
        public int tokenCount() {
            return tokenCount;
        }

        /** {@code finish_reason}; null while the choice goes on. */
        public @Nullable String finishReason() {
            return finishReason;
        }

        /** {@code stop_reason}: a string, an {@link Integer}, or null. */
        public @Nullable Object stopReason() throws MalformedJsonException {
            int at = members.find(Field.STOP_REASON);
            if (at < 0 || spans.isNull(members.valueFrom(at), members.valueTo(at))) {
                return null;
            }
            return bytes[members.valueFrom(at)] == '"'
                    ? (Object) spans.string(members.valueFrom(at), members.valueTo(at))
                    : (Object) integer(members.valueFrom(at), members.valueTo(at));
        }

        /** Whether the server made text or a message. */
        public boolean hasText() {
            return members.find(Field.TEXT) >= 0 || members.find(Field.MESSAGE) >= 0 || members.find(Field.DELTA) >= 0;
        }

        /** The value of {@code logprobs} as it lies in the bytes; null if there are none. */
        public @Nullable RawValue logprobs() {
            return value(Field.LOGPROBS);
        }

        /** The first entries of {@code logprobs.content}, without the brackets; null if there are none. */
        @Nullable RawValue logprobItems(int count) throws MalformedJsonException {
            RawValue value = value(Field.LOGPROBS);
            if (value == null) {
                return null;
            }
            int i = spans.expect(value.from, '{');
            while (bytes[spans.skipSpace(i)] != '}') {
                int name = spans.skipSpace(i);
                int nameEnd = nameEnd(name);
                int at = spans.skipSpace(spans.expect(nameEnd, ':'));
                if (spans.isString(name, nameEnd, "content")) {
                    return items(at, count);
                }
                i = next(spans.skipValue(at));
            }
            return null;
        }

        /** The first entries of {@code sampling_mask}, without the brackets; null if there are none. */
        @Nullable RawValue samplingMaskItems(int count) throws MalformedJsonException {
            RawValue value = value(Field.SAMPLING_MASK);
            return value == null ? null : items(value.from, count);
        }

        /** {@code routed_experts} as it lies in the bytes; null if there are none. */
        public @Nullable RawValue routedExperts() {
            return value(Field.ROUTED_EXPERTS);
        }

        /** {@code weight_versions} as it lies in the bytes; null if there are none. */
        public @Nullable RawValue weightVersions() {
            return value(Field.WEIGHT_VERSIONS);
        }

        /** What to change when the answer is {@linkplain Answer#write written}; empty after each scan. */
        public ChoiceEdit edit() {
            return edit;
        }

        @Nullable RawValue value(Field field) {
            return Answer.this.value(members, field);
        }

        Members members() {
            return members;
        }

        private int scan(int at) throws MalformedJsonException {
            edit.clear();
            members.clear();
            index = 0;
            tokenCount = 0;
            finishReason = null;
            int i = spans.expect(at, '{');
            while (bytes[spans.skipSpace(i)] != '}') {
                int name = spans.skipSpace(i);
                int nameEnd = nameEnd(name);
                int value = spans.skipSpace(spans.expect(nameEnd, ':'));
                Field field = Field.of(spans, name, nameEnd);
                int valueEnd = field == Field.TOKEN_IDS ? scanTokenIds(value) : spans.skipValue(value);
                members.add(field, name, value, valueEnd);
                if (field == Field.INDEX) {
                    index = integer(value, valueEnd);
                } else if (field == Field.FINISH_REASON) {
                    finishReason = spans.isNull(value, valueEnd) ? null : finishReason(value, valueEnd);
                }
                i = next(valueEnd);
            }
            return spans.skipSpace(i) + 1;
        }

        private String finishReason(int from, int to) throws MalformedJsonException {
            if (spans.isString(from, to, "stop")) {
                return "stop";
            }
            return spans.isString(from, to, "length") ? "length" : spans.string(from, to);
        }

        private int scanTokenIds(int at) throws MalformedJsonException {
            if (bytes[at] != '[') {
                int end = spans.skipValue(at);
                if (spans.isNull(at, end)) {
                    return end;
                }
                throw new MalformedJsonException("token_ids is no array");
            }
            int i = at + 1;
            while (bytes[spans.skipSpace(i)] != ']') {
                int value = spans.skipSpace(i);
                int valueEnd = spans.skipValue(value);
                if (tokenCount == tokenIds.length) {
                    tokenIds = Arrays.copyOf(tokenIds, 2 * tokenCount);
                }
                tokenIds[tokenCount++] = integer(value, valueEnd);
                i = next(valueEnd);
            }
            return spans.skipSpace(i) + 1;
        }
    }

    /** The first entries of an array, without the brackets; null if there are none. */
    private @Nullable RawValue items(int array, int count) throws MalformedJsonException {
        if (bytes[array] != '[') {
            return null;
        }
        int i = array + 1;
        int from = spans.skipSpace(i);
        int to = from;
        for (int item = 0; item < count && bytes[spans.skipSpace(i)] != ']'; item++) {
            to = spans.skipValue(spans.skipSpace(i));
            i = next(to);
        }
        return to == from ? null : new RawValue(bytes, from, to);
    }

    /**
     * A value as it lies in the bytes.
     *
     * @param bytes the bytes
     * @param from where it starts
     * @param to where it ends
     */
    public record RawValue(byte[] bytes, int from, int to) {
        /** The value alone. */
        byte[] copy() {
            return Arrays.copyOfRange(bytes, from, to);
        }
    }

    /**
     * Finds the fields.
     *
     * @param source the bytes; kept until the next scan
     * @param from where the object starts
     * @param to where it ends
     * @throws MalformedJsonException if the bytes are no JSON object, or a field has not the type that vLLM gives it
     */
    public void scan(byte[] source, int from, int to) throws MalformedJsonException {
        bytes = source;
        spans.reset(source, to);
        members.clear();
        choiceCount = 0;
        transferHidden = false;
        int i = spans.expect(from, '{');
        while (bytes[spans.skipSpace(i)] != '}') {
            int name = spans.skipSpace(i);
            int nameEnd = nameEnd(name);
            int value = spans.skipSpace(spans.expect(nameEnd, ':'));
            Field field = Field.of(spans, name, nameEnd);
            int valueEnd = field == Field.CHOICES && bytes[value] == '[' ? scanChoices(value) : spans.skipValue(value);
            members.add(field, name, value, valueEnd);
            i = next(valueEnd);
        }
        for (int end = spans.skipSpace(i) + 1; end < to; end++) {
            if (bytes[end] > ' ' || bytes[end] < 0) {
                throw new MalformedJsonException("something follows the object at byte " + end);
            }
        }
    }

    private int scanChoices(int at) throws MalformedJsonException {
        int i = at + 1;
        while (bytes[spans.skipSpace(i)] != ']') {
            if (choiceCount == choices.size()) {
                choices.add(new AnswerChoice());
            }
            i = next(choices.get(choiceCount++).scan(spans.skipSpace(i)));
        }
        return spans.skipSpace(i) + 1;
    }

    /** Behind a value: the place behind the comma, or of the bracket that closes. */
    private int next(int valueEnd) throws MalformedJsonException {
        int i = spans.skipSpace(valueEnd);
        if (bytes[i] == ']' || bytes[i] == '}') {
            return i;
        }
        return spans.expect(i, ',');
    }

    private int nameEnd(int name) throws MalformedJsonException {
        if (bytes[name] != '"') {
            throw new MalformedJsonException("the name of a field is expected at byte " + name);
        }
        return spans.skipString(name);
    }

    private int integer(int from, int to) throws MalformedJsonException {
        long value = 0;
        for (int i = from; i < to; i++) {
            int digit = bytes[i] - '0';
            value = value * 10 + digit;
            if (digit < 0 || digit > 9 || value > Integer.MAX_VALUE) {
                throw new MalformedJsonException("a whole number is expected instead of "
                        + new String(bytes, from, to - from, StandardCharsets.UTF_8));
            }
        }
        return (int) value;
    }

    private @Nullable RawValue value(Members of, Field field) {
        int at = of.find(field);
        if (at < 0 || spans.isNull(of.valueFrom(at), of.valueTo(at))) {
            return null;
        }
        return new RawValue(bytes, of.valueFrom(at), of.valueTo(at));
    }

    @Nullable RawValue value(Field field) {
        return value(members, field);
    }

    /** The bytes that were scanned. */
    public byte[] bytes() {
        return bytes;
    }

    /** How many entries {@code choices} has. */
    public int choiceCount() {
        return choiceCount;
    }

    /** One entry of {@code choices}. */
    public AnswerChoice choice(int position) {
        return choices.get(position);
    }

    /** Whether there is an {@code error} that is not null. */
    public boolean hasError() {
        return value(members, Field.ERROR) != null;
    }

    /**
     * The {@code code} of the {@code error}: as vLLM puts it into a stream, the status that the answer would have had.
     *
     * @return 0 if there is no error, or none with a code
     */
    public int errorCode() throws MalformedJsonException {
        RawValue error = value(members, Field.ERROR);
        if (error == null) {
            return 0;
        }
        try {
            return Json.MAPPER.readTree(error.bytes, error.from, error.to - error.from).path("code").asInt();
        } catch (IOException e) {
            throw new MalformedJsonException("an error that cannot be read: " + e.getMessage());
        }
    }

    /** Whether there is a {@code usage} that is not null. */
    public boolean hasUsage() {
        int at = members.find(Field.USAGE);
        return at >= 0 && !spans.isNull(members.valueFrom(at), members.valueTo(at));
    }

    /** Whether {@code output_mode} says exactly this. */
    public boolean echoes(String mode) throws MalformedJsonException {
        RawValue value = value(members, Field.OUTPUT_MODE);
        return value != null && spans.string(value.from, value.to).equals(mode);
    }

    /** Has {@code kv_transfer_params} written as null; they steer servers to each other. */
    public void hideTransferParams() {
        transferHidden = true;
    }

    /**
     * Writes the answer as it came, but for {@code kv_transfer_params} where they are hidden.
     *
     * @param out where to
     */
    public void copy(JsonOut out) {
        if (!transferHidden || value(members, Field.KV_TRANSFER_PARAMS) == null) {
            out.bytes(bytes);
            return;
        }
        out.beginObject();
        for (int i = 0; i < members.count(); i++) {
            if (members.field(i) == Field.KV_TRANSFER_PARAMS) {
                writeTransferParams(i, out);
            } else {
                out.rawValue(bytes, members.nameFrom(i), members.valueTo(i));
            }
        }
        out.endObject();
    }

    private void writeTransferParams(int at, JsonOut out) {
        if (transferHidden) {
            out.name("kv_transfer_params").nullValue();
        } else {
            out.rawValue(bytes, members.nameFrom(at), members.valueTo(at));
        }
    }

    /**
     * {@code kv_transfer_params}, as values of JSON.
     *
     * @return empty if there are none
     * @throws MalformedJsonException if they are no object
     */
    public Map<String, @Nullable Object> transferParams() throws MalformedJsonException {
        RawValue value = value(members, Field.KV_TRANSFER_PARAMS);
        return value == null ? Map.of() : Json.object(value.bytes, value.from, value.to);
    }

    /** {@code usage.prompt_tokens_details.cached_tokens}; 0 if absent. */
    public long cachedTokens() throws MalformedJsonException {
        return promptTokensDetails().get("cached_tokens") instanceof Number cached ? cached.longValue() : 0;
    }

    /** {@code request_id}, the server's own; null if absent. */
    public @Nullable String requestId() throws MalformedJsonException {
        RawValue value = value(members, Field.REQUEST_ID);
        return value == null ? null : spans.string(value.from, value.to);
    }

    /** {@code prompt_logprobs} as it lies in the bytes; null if there are none. */
    public @Nullable RawValue promptLogprobs() {
        return value(Field.PROMPT_LOGPROBS);
    }

    /** {@code kv_transfer_params} as it lies in the bytes; null if there are none, or they are hidden. */
    public @Nullable RawValue shownTransferParams() {
        return transferHidden ? null : value(Field.KV_TRANSFER_PARAMS);
    }

    /** {@code ec_transfer_params} as it lies in the bytes; null if there are none. */
    public @Nullable RawValue encoderTransferParams() {
        return value(Field.EC_TRANSFER_PARAMS);
    }

    /** {@code metrics} as they lie in the bytes; null if there are none. */
    public @Nullable RawValue metrics() {
        return value(Field.METRICS);
    }

    /**
     * {@code prompt_token_ids}; null if the server does not show the prompt.
     *
     * @throws InvalidBodyException if it is no list of token IDs
     */
    public int @Nullable [] promptTokenIds() {
        RawValue value = value(Field.PROMPT_TOKEN_IDS);
        return value == null ? null : DerenderBody.tokens(value, "prompt_token_ids");
    }

    /** Whether it is one of tokens only: {@code output_mode} is {@code tokens}, or absent as before vLLM 0.33. */
    public boolean isOfTokens() throws MalformedJsonException {
        return members.find(Field.OUTPUT_MODE) < 0 || echoes("tokens");
    }

    /**
     * {@code usage}, as an event has it.
     *
     * @return null if there is none
     * @throws MalformedJsonException if it is no object
     */
    public @Nullable Usage usage() throws MalformedJsonException {
        RawValue value = value(Field.USAGE);
        if (value == null) {
            return null;
        }
        Map<String, @Nullable Object> usage = Json.object(value.bytes, value.from, value.to);
        return new Usage(count(usage.get("prompt_tokens")), count(usage.get("completion_tokens")));
    }

    private static int count(@Nullable Object value) {
        return value instanceof Number number ? Math.max(0, number.intValue()) : 0;
    }

    /** {@code usage.prompt_tokens_details} as values of JSON; empty if there are none. */
    public Map<?, ?> promptTokensDetails() throws MalformedJsonException {
        RawValue value = value(members, Field.USAGE);
        return value != null
                        && Json.object(value.bytes, value.from, value.to).get("prompt_tokens_details") instanceof Map<?, ?> details
                ? details
                : Map.of();
    }

    /** How many tokens all choices together brought. */
    public int tokenCount() {
        int count = 0;
        for (int i = 0; i < choiceCount; i++) {
            count += choices.get(i).tokenCount;
        }
        return count;
    }

    /**
     * Writes the answer again, with the edits of its choices.
     *
     * @param out where to
     * @param mode the new value of {@code output_mode}
     * @param usage the new value of {@code usage}; null to leave it as it is
     */
    public void write(JsonOut out, String mode, @Nullable Usage usage) throws MalformedJsonException {
        out.beginObject();
        boolean echoed = false;
        for (int i = 0; i < members.count(); i++) {
            switch (members.field(i)) {
                case OUTPUT_MODE -> {
                    out.name("output_mode").string(mode);
                    echoed = true;
                }
                case CHOICES -> {
                    if (!echoed && members.find(Field.OUTPUT_MODE) < 0) {
                        out.name("output_mode").string(mode);
                    }
                    out.name("choices").beginArray();
                    for (int c = 0; c < choiceCount; c++) {
                        choices.get(c).edit.write(bytes, choices.get(c), out);
                    }
                    out.endArray();
                }
                case KV_TRANSFER_PARAMS -> writeTransferParams(i, out);
                case USAGE -> {
                    if (usage != null && hasUsage()) {
                        usage.write(out.name("usage"));
                    } else {
                        out.rawValue(bytes, members.nameFrom(i), members.valueTo(i));
                    }
                }
                case ERROR, REQUEST_ID, PROMPT_TOKEN_IDS, PROMPT_LOGPROBS, EC_TRANSFER_PARAMS, MM_PLACEHOLDERS, METRICS,
                        INDEX, TOKEN_IDS, FINISH_REASON, STOP_REASON, LOGPROBS,
                        SAMPLING_MASK, WEIGHT_VERSIONS, ROUTED_EXPERTS, TEXT, MESSAGE, DELTA, OTHER ->
                    out.rawValue(bytes, members.nameFrom(i), members.valueTo(i));
            }
        }
        out.endObject();
    }
}
