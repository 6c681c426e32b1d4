package io.glyphgate.proxy.choice;

import io.glyphgate.spi.ChoiceStep;
import io.glyphgate.spi.MessageDelta.ToolCallDelta;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The steps of a choice joined, as a client would join them. */
final class Assembled {
    final StringBuilder text = new StringBuilder();
    final List<Integer> tokens = new ArrayList<>();
    final StringBuilder reasoning = new StringBuilder();
    final StringBuilder content = new StringBuilder();
    final List<String> names = new ArrayList<>();
    final List<String> ids = new ArrayList<>();
    final List<StringBuilder> arguments = new ArrayList<>();
    String finishReason = "";
    int steps;
    int lastSteps;

    static Assembled of(OutputPlan plan, int[] tokens, int chunk, @Nullable EngineFinish finish) {
        Choice choice = new Choice(plan);
        Assembled result = new Assembled();
        int at = 0;
        do {
            int count = Math.min(chunk, tokens.length - at);
            int[] piece = java.util.Arrays.copyOfRange(tokens, at, at + count);
            at += count;
            choice.accept(piece, count, at == tokens.length ? finish : null);
            result.add(choice.step());
        } while (at < tokens.length && !choice.ended());
        return result;
    }

    void add(ChoiceStep step) {
        if (step.first() != (steps++ == 0)) {
            throw new AssertionError("step " + steps + " says first: " + step.first());
        }
        for (int i = 0; i < step.tokens().tokenCount(); i++) {
            tokens.add(step.tokens().tokenId(i));
        }
        text.append(step.tokens().text());
        reasoning.append(step.message().reasoning());
        content.append(step.message().content());
        for (ToolCallDelta call : step.message().toolCalls()) {
            if (call.opens() != (call.index() == names.size())) {
                throw new AssertionError("call " + call.index() + " says opens: " + call.opens());
            }
            if (call.opens()) {
                names.add(call.name());
                ids.add(call.id());
                arguments.add(new StringBuilder());
            }
            arguments.get(call.index()).append(call.arguments());
        }
        if (step.last()) {
            lastSteps++;
            finishReason = step.finishReason();
        }
    }

    /** Everything but the IDs, which may be random. */
    @Override
    public String toString() {
        return "text=" + text + " tokens=" + tokens + " reasoning=" + reasoning + " content=" + content
                + " calls=" + names + arguments + " finish=" + finishReason + " lastSteps=" + lastSteps;
    }
}
