package io.glyphgate.proxy.wire;

import io.glyphgate.proxy.wire.Answer.RawValue;
import io.glyphgate.spi.InvalidRequestException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Questions to a server's render and derender doors, which are those of vLLM 0.33, about one chat or completion; and its answers.
 */
public final class ServerTexts {
    private static final String MODEL = "model";

    private final DerenderBody.Kind kind;
    private final JsonObject request;
    private final boolean stream;
    private @Nullable Constant constant;

    /** What was made for a model's name and a prompt. */
    private record Constant(String model, int[] prompt, byte[] json) {}

    /**
     * Questions about a request.
     *
     * @param request as its client sent it
     * @param stream whether it wants a stream
     */
    public ServerTexts(DerenderBody.Kind kind, JsonObject request, boolean stream) {
        this.kind = kind;
        this.request = request;
        this.stream = stream;
    }

    /** Asks for its generate requests. */
    public byte[] render(String model) {
        return request.edit(Map.of(MODEL, JsonEdit.string(model)));
    }

    /**
     * The generate requests of an answer, one for each prompt.
     *
     * @param count how many it must hold
     * @throws BadAnswerException if it does not hold them
     */
    public List<GenerateBody> rendered(byte[] answer, int count) {
        List<GenerateBody> requests = new ArrayList<>();
        try {
            for (RawValue each : items(answer)) {
                GenerateBody made = GenerateBody.parse(each.copy());
                if (made.stream() != stream || !made.outputMode().equals("tokens")) {
                    throw new BadAnswerException("it renders another request than was sent");
                }
                requests.add(made);
            }
        } catch (MalformedJsonException | IndexOutOfBoundsException | InvalidRequestException e) {
            throw new BadAnswerException(String.valueOf(e.getMessage()));
        }
        if (requests.size() != count) {
            throw new BadAnswerException("it holds " + requests.size() + " prompts instead of " + count);
        }
        return requests;
    }

    /**
     * Asks for the answer that a server's whole answer becomes.
     *
     * @param prompt the prompt that it answers
     */
    public byte[] derender(String model, int[] prompt, byte[] answer) {
        JsonOut out = new JsonOut(answer.length + 8 * prompt.length + 1024);
        out.beginObject().name(MODEL).string(model);
        boolean list = kind == DerenderBody.Kind.COMPLETION;
        begin(list, out.name(list ? "generate_responses" : "generate_response")).rawValue(answer, 0, answer.length);
        end(list, out);
        begin(list, out.name("prompt_tokens")).number(prompt.length);
        end(list, out);
        ids(prompt, begin(list, out.name("prompt_token_ids")));
        end(list, out);
        return request(model, out).endObject().toByteArray();
    }

    private static JsonOut begin(boolean list, JsonOut out) {
        return list ? out.beginArray() : out;
    }

    private static void end(boolean list, JsonOut out) {
        if (list) {
            out.endArray();
        }
    }

    /**
     * Asks for the event that an event of a server becomes.
     *
     * @param prompt the prompt that it answers
     * @param event the event, with at most one choice
     * @param state what the event before brought; null for the first one
     */
    public byte[] derenderChunk(String model, int[] prompt, byte[] event, byte @Nullable [] state) {
        JsonOut out = new JsonOut(event.length + 8 * prompt.length + 1024);
        out.beginObject().name("stream").bool(true).name(MODEL).string(model);
        out.name("generate_chunk").rawValue(event, 0, event.length);
        if (state == null) {
            out.name("stream_state").nullValue();
        } else {
            out.name("stream_state").rawValue(state, 0, state.length);
        }
        byte[] same = constant(model, prompt);
        return out.rawValue(same, 1, same.length - 1).endObject().toByteArray();
    }

    /** The members that all events of a stream come with, in an object. */
    private byte[] constant(String model, int[] prompt) {
        Constant known = constant;
        if (known == null || known.prompt != prompt || !known.model.equals(model)) {
            JsonOut out = new JsonOut(8 * prompt.length + 1024).beginObject().name("prompt_tokens").number(prompt.length);
            ids(prompt, out.name("prompt_token_ids"));
            known = new Constant(model, prompt, request(model, out).endObject().toByteArray());
            constant = known;
        }
        return known.json;
    }

    private static void ids(int[] prompt, JsonOut out) {
        out.beginArray();
        for (int id : prompt) {
            out.number(id);
        }
        out.endArray();
    }

    private JsonOut request(String model, JsonOut out) {
        byte[] named = render(model);
        return out.name(kind.request()).rawValue(named, 0, named.length);
    }

    /**
     * The answer to one event of a stream.
     *
     * @param chunk the event that it becomes
     * @param state what the next one needs
     */
    public record Chunk(byte[] chunk, byte[] state) {}

    /**
     * Reads the answer to one event.
     *
     * @param id the ID that the client knows
     * @param model the name that the client knows
     */
    public static Chunk chunk(byte[] answer, String id, String model) {
        try {
            JsonObject fields = JsonObject.of(answer);
            RawValue chunk = fields.value("chunk");
            RawValue state = fields.value("stream_state");
            if (chunk == null || state == null) {
                throw new BadAnswerException("it has no chunk, or no stream_state");
            }
            return new Chunk(identified(chunk.copy(), id, model), state.copy());
        } catch (MalformedJsonException | IndexOutOfBoundsException e) {
            throw new BadAnswerException(String.valueOf(e.getMessage()));
        }
    }

    /** A whole answer, or an event, with the ID and the name of the model that the client knows. */
    public static byte[] identified(byte[] answer, String id, String model) {
        try {
            return JsonObject.of(answer).edit(Map.of("id", JsonEdit.string(id), MODEL, JsonEdit.string(model)));
        } catch (MalformedJsonException | IndexOutOfBoundsException e) {
            throw new BadAnswerException(String.valueOf(e.getMessage()));
        }
    }

    /**
     * An answer of one of these doors to a client, with the name of the model that the client knows.
     *
     * @param answer an object, one inside of {@code chunk}, or a list of objects
     */
    public static byte[] named(byte[] answer, String model) {
        try {
            if (answer.length > 0 && answer[0] == '[') {
                JsonOut out = new JsonOut(answer.length + 256).beginArray();
                for (RawValue each : items(answer)) {
                    byte[] item = named(each.copy(), model);
                    out.rawValue(item, 0, item.length);
                }
                return out.endArray().toByteArray();
            }
            JsonObject fields = JsonObject.of(answer);
            RawValue chunk = fields.value("chunk");
            if (chunk != null) {
                byte[] inner = named(chunk.copy(), model);
                return fields.edit(Map.of("chunk", out -> out.rawValue(inner, 0, inner.length)));
            }
            return fields.edit(Map.of(MODEL, JsonEdit.string(model)));
        } catch (MalformedJsonException | IndexOutOfBoundsException e) {
            throw new BadAnswerException(String.valueOf(e.getMessage()));
        }
    }

    private static List<RawValue> items(byte[] answer) throws MalformedJsonException {
        RawValue whole = new RawValue(answer, 0, answer.length);
        return answer.length > 0 && answer[0] == '[' ? JsonSpans.items(whole) : List.of(whole);
    }
}
