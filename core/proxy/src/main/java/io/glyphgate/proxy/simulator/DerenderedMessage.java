package io.glyphgate.proxy.simulator;

import io.glyphgate.proxy.choice.Choice;
import io.glyphgate.proxy.choice.EngineFinish;
import io.glyphgate.proxy.choice.OutputPlan;
import io.glyphgate.proxy.choice.StopStrings;
import io.glyphgate.proxy.wire.GenerateBody;
import io.glyphgate.proxy.wire.JsonOut;
import io.glyphgate.spi.ChoiceWriter;
import io.glyphgate.spi.JsonWriter;
import io.glyphgate.spi.OutputModeProvider;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** Makes the message of a choice with the proxy's own pipeline: its parsers and its output mode {@code derender}. */
final class DerenderedMessage implements ChoiceWriter {
    private final JsonOut value = new JsonOut();
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
                GenerateBody.parseContext(call.parseContext().toString().getBytes(StandardCharsets.UTF_8))));
        parsed.accept(choice.tokenIds(), count, finish);
        DerenderedMessage message = new DerenderedMessage(finish.reason());
        derender.open(call).write(parsed.step(), message);
        return new AnswerWriter.Message(message.value.toByteArray(), message.finishReason);
    }

    private DerenderedMessage(String finishReason) {
        this.finishReason = finishReason;
    }

    /** The mode adds one field to a batch answer, the message; its name is the writer's of the answer. */
    @Override
    public JsonWriter field(String name) {
        return value;
    }

    @Override
    public void finishReason(String reason) {
        finishReason = reason;
    }
}
