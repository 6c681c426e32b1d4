package io.glyphgate.proxy.openai;

import io.glyphgate.proxy.generate.Translation;
import io.glyphgate.proxy.wire.Answer.AnswerChoice;
import io.glyphgate.proxy.wire.Answer.RawValue;
import io.glyphgate.proxy.wire.ChatLogprobs;
import io.glyphgate.proxy.wire.JsonOut;
import io.glyphgate.proxy.wire.MalformedJsonException;
import io.glyphgate.proxy.wire.OutputWishes;
import io.glyphgate.spi.ChoiceStep;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Values of a chat's choices that whole answers, events and derendered chunks have in common. */
final class ChatPieces {
    private final Translation translation;
    private final OutputWishes wishes;
    private final boolean tokens;
    private final boolean logprobs;
    private final List<@Nullable ChatLogprobs> shapes = new ArrayList<>();

    /** The values of one answer. */
    ChatPieces(Translation translation, OutputWishes wishes) {
        this.translation = translation;
        this.wishes = wishes;
        tokens = wishes.tokenIds() && !translation.hidesTokens();
        logprobs = wishes.logprobs() && !translation.hidesTokens();
    }

    /** Whether the client is told of each token, so that it hears of those without text too. */
    boolean tellsOfTokens() {
        return tokens || logprobs;
    }

    /** The tokens of a choice, or null. */
    void tokens(@Nullable AnswerChoice from, JsonOut out) {
        if (tokens && from != null) {
            ChoiceFields.tokens(from.tokenIds(), ChoiceFields.kept(from), out);
        } else {
            out.nullValue();
        }
    }

    /** The logprobs of a choice, or null. */
    void logprobs(@Nullable AnswerChoice from, int index, JsonOut out) throws MalformedJsonException {
        RawValue raw = from == null || !logprobs ? null : from.logprobs();
        if (from == null || raw == null) {
            out.nullValue();
            return;
        }
        shape(index).write(raw.bytes(), raw.from(), raw.to(), ChoiceFields.kept(from), out);
    }

    private ChatLogprobs shape(int index) {
        while (shapes.size() <= index) {
            shapes.add(null);
        }
        ChatLogprobs shape = shapes.get(index);
        if (shape == null) {
            shape = new ChatLogprobs(wishes.tokensAsIds() ? null : translation.plan().tokenizer(), wishes.candidates());
            shapes.set(index, shape);
        }
        return shape;
    }

    /** Goes on with the logprobs of a choice behind tokens that were told of before. */
    void goOn(int index, int[] before) {
        shape(index).goOn(before);
    }

    /** The finish reason, as a chat has it. */
    static String finishReason(ChoiceStep step) {
        return step.finishReason().equals("stop") && step.message().waitsForToolResults()
                ? "tool_calls"
                : step.finishReason();
    }
}
