package io.glyphgate.proxy.simulator;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.glyphgate.proxy.choice.Choice;
import io.glyphgate.proxy.choice.EngineFinish;
import io.glyphgate.proxy.choice.OutputPlan;
import io.glyphgate.proxy.choice.StopStrings;
import io.glyphgate.proxy.wire.ParseRequest;
import io.glyphgate.spi.ChoiceWriter;
import io.glyphgate.spi.JsonWriter;
import io.glyphgate.spi.OutputModeProvider;
import io.glyphgate.spi.Tool;
import io.glyphgate.spi.ToolChoice;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Makes the message of a choice with the proxy's own pipeline: its parsers and its output mode {@code derender}. */
final class DerenderedMessage implements ChoiceWriter {
    private static final JsonMapper JSON = new JsonMapper();

    private final StringWriter text = new StringWriter();
    private final JsonGenerator out;
    private String finishReason;

    /**
     * Makes the message.
     *
     * @param call the request
     * @param choice the choice
     * @param count how many of its tokens count
     * @param finish how it ended
     * @param options the server, which is not tokens-only
     */
    static AnswerWriter.Message of(
            GenerateCall call, Completion choice, int count, EngineFinish finish, SimulatorOptions options) {
        OutputModeProvider derender = Objects.requireNonNull(options.derender());
        Choice parsed = new Choice(new OutputPlan(
                options.model(),
                derender.needs(),
                options.detokenizing(),
                options.parsers(),
                call.promptTokenIds(),
                call.skipSpecialTokens(),
                call.spacesBetweenSpecialTokens(),
                new StopStrings(call.stop(), call.includeStop(), call.minTokens()),
                call.includeStop(),
                parseRequest(call.parseContext())));
        parsed.accept(choice.tokenIds(), count, finish);
        try {
            DerenderedMessage message = new DerenderedMessage(finish.reason());
            derender.open(call).write(parsed.step(), message);
            return message.written();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write JSON to memory", e);
        }
    }

    private DerenderedMessage(String finishReason) throws IOException {
        this.finishReason = finishReason;
        out = JSON.createGenerator(text);
        out.writeStartObject();
    }

    private AnswerWriter.Message written() throws IOException {
        out.writeEndObject();
        out.close();
        return new AnswerWriter.Message(JSON.readTree(text.toString()).path("message").toString(), finishReason);
    }

    @Override
    public JsonWriter field(String name) {
        Generated writer = new Generated(out);
        writer.name(name);
        return writer;
    }

    @Override
    public void finishReason(String reason) {
        finishReason = reason;
    }

    private static ParseRequest parseRequest(ObjectNode context) {
        List<Tool> tools = new ArrayList<>();
        for (JsonNode tool : context.path("tools")) {
            JsonNode function = tool.path("function");
            tools.add(Tool.of(function.path("name").asText(), map(function.path("parameters"))));
        }
        return new ParseRequest(
                List.copyOf(tools),
                toolChoice(context.path("tool_choice")),
                context.path("parallel_tool_calls").asBoolean(true),
                context.path("include_reasoning").asBoolean(true),
                map(context.path("chat_template_kwargs")),
                context.path("history_tool_call_cnt").asInt());
    }

    private static ToolChoice toolChoice(JsonNode choice) {
        return choice.isObject()
                ? ToolChoice.named(choice.path("function").path("name").asText())
                : switch (choice.asText("none")) {
                    case "auto" -> ToolChoice.AUTO;
                    case "required" -> ToolChoice.REQUIRED;
                    default -> ToolChoice.NONE;
                };
    }

    private static Map<String, Object> map(JsonNode object) {
        return object.isObject()
                ? JSON.convertValue(object, JSON.getTypeFactory().constructMapType(Map.class, String.class, Object.class))
                : Map.of();
    }

    /** Writes through a generator. Memory takes all that is written, so errors of writing cannot come from outside. */
    private record Generated(JsonGenerator out) implements JsonWriter {
        private interface Step {
            void run() throws IOException;
        }

        private JsonWriter write(Step step) {
            try {
                step.run();
            } catch (IOException e) {
                throw new UncheckedIOException("the output mode wrote what is no JSON", e);
            }
            return this;
        }

        @Override
        public JsonWriter beginObject() {
            return write(out::writeStartObject);
        }

        @Override
        public JsonWriter endObject() {
            return write(out::writeEndObject);
        }

        @Override
        public JsonWriter beginArray() {
            return write(out::writeStartArray);
        }

        @Override
        public JsonWriter endArray() {
            return write(out::writeEndArray);
        }

        @Override
        public JsonWriter name(String name) {
            return write(() -> out.writeFieldName(name));
        }

        @Override
        public JsonWriter string(CharSequence value) {
            return write(() -> out.writeString(value.toString()));
        }

        @Override
        public JsonWriter number(long value) {
            return write(() -> out.writeNumber(value));
        }

        @Override
        public JsonWriter number(double value) {
            return write(() -> out.writeNumber(value));
        }

        @Override
        public JsonWriter bool(boolean value) {
            return write(() -> out.writeBoolean(value));
        }

        @Override
        public JsonWriter nullValue() {
            return write(out::writeNull);
        }
    }
}
