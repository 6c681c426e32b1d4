package io.glyphgate.plugin.outputmodes;

import io.glyphgate.spi.ChoiceStep;
import io.glyphgate.spi.ChoiceWriter;
import io.glyphgate.spi.GenerateRequest;
import io.glyphgate.spi.JsonWriter;
import io.glyphgate.spi.MessageDelta;
import io.glyphgate.spi.MessageDelta.ToolCallDelta;
import io.glyphgate.spi.OutputMode;
import io.glyphgate.spi.OutputModeProvider;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * {@code derender}: a chat message, as a chat answer would hold it. In a batch answer the field {@code message} with
 * the fields of vLLM's {@code ChatMessage}; in a stream the field {@code delta}, with what is new of it.
 */
public final class Derender implements OutputModeProvider {
    /** Fields of a chat message that vLLM writes and never fills. */
    private static final List<String> UNUSED = List.of("refusal", "annotations", "audio", "function_call");

    /** For the service loader. */
    public Derender() {}

    @Override
    public String name() {
        return "derender";
    }

    @Override
    public Set<Need> needs() {
        return Set.of(Need.MESSAGE);
    }

    @Override
    public void validate(GenerateRequest request) {
        Detokenizing.require(request, name());
    }

    @Override
    public OutputMode open(GenerateRequest request) {
        boolean stream = request.stream();
        boolean forced = forcesCalls(request, "parse_context") || forcesCalls(request, "chat_request");
        return (step, out) -> {
            if (stream) {
                writeDelta(step, out.field("delta"));
            } else {
                writeMessage(step.message(), forced, out.field("message"));
            }
            finish(step, out);
        };
    }

    /** Whether the caller demands a call: vLLM then writes content that is missing as an empty text. */
    private static boolean forcesCalls(GenerateRequest request, String context) {
        Optional<Object> choice = request.field(context, "tool_choice");
        return choice.equals(Optional.of("required")) || choice.filter(Map.class::isInstance).isPresent();
    }

    private static void finish(ChoiceStep step, ChoiceWriter out) {
        if (step.last() && step.finishReason().equals("stop") && step.message().waitsForToolResults()) {
            out.finishReason("tool_calls");
        }
    }

    private static void writeMessage(MessageDelta message, boolean forced, JsonWriter json) {
        json.beginObject().name("role").string("assistant").name("content");
        stringOrNull(message.content(), forced, json);
        for (String unused : UNUSED) {
            json.name(unused).nullValue();
        }
        if (!message.toolCalls().isEmpty()) {
            json.name("tool_calls").beginArray();
            for (ToolCallDelta call : message.toolCalls()) {
                json.beginObject();
                writeHead(call, json);
                writeFunction(call, json);
                json.endObject();
            }
            json.endArray();
        }
        json.name("reasoning");
        stringOrNull(message.reasoning(), false, json);
        json.endObject();
    }

    private static void writeDelta(ChoiceStep step, JsonWriter json) {
        MessageDelta message = step.message();
        json.beginObject();
        if (step.first()) {
            json.name("role").string("assistant");
        }
        if (!message.content().isEmpty()) {
            json.name("content").string(message.content());
        }
        if (!message.reasoning().isEmpty()) {
            json.name("reasoning").string(message.reasoning());
        }
        if (!message.toolCalls().isEmpty()) {
            json.name("tool_calls").beginArray();
            List<ToolCallDelta> calls = message.toolCalls();
            for (int i = 0; i < calls.size(); i++) { // an iterator for each token would be garbage
                ToolCallDelta call = calls.get(i);
                json.beginObject().name("index").number(call.index());
                if (call.opens()) {
                    writeHead(call, json);
                }
                writeFunction(call, json);
                json.endObject();
            }
            json.endArray();
        }
        json.endObject();
    }

    private static void writeHead(ToolCallDelta call, JsonWriter json) {
        json.name("id").string(call.id()).name("type").string("function");
    }

    private static void writeFunction(ToolCallDelta call, JsonWriter json) {
        json.name("function").beginObject();
        if (call.opens()) {
            json.name("name").string(call.name());
        }
        json.name("arguments").string(call.arguments()).endObject();
    }

    private static void stringOrNull(CharSequence text, boolean evenIfEmpty, JsonWriter json) {
        if (text.isEmpty() && !evenIfEmpty) {
            json.nullValue();
        } else {
            json.string(text);
        }
    }
}
