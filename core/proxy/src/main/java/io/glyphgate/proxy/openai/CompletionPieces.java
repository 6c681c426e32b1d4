package io.glyphgate.proxy.openai;

import io.glyphgate.proxy.generate.Translation;
import io.glyphgate.proxy.wire.Answer;
import io.glyphgate.proxy.wire.Answer.AnswerChoice;
import io.glyphgate.proxy.wire.CompletionLogprobs;
import io.glyphgate.proxy.wire.JsonOut;
import io.glyphgate.proxy.wire.MalformedJsonException;
import io.glyphgate.proxy.wire.OutputWishes;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Values of a completion's choices that whole answers, events and derendered chunks have in common. */
final class CompletionPieces {
    private final Translation translation;
    private final OutputWishes wishes;
    private final List<@Nullable CompletionLogprobs> shapes = new ArrayList<>();

    /** The values of one answer. */
    CompletionPieces(Translation translation, OutputWishes wishes) {
        this.translation = translation;
        this.wishes = wishes;
    }

    /** Whether nothing was written of a choice yet; it is from now on. */
    boolean opens(int index) {
        boolean opens = shapes.size() <= index || shapes.get(index) == null;
        shape(index);
        return opens;
    }

    /** What writes the logprobs of a choice. */
    CompletionLogprobs shape(int index) {
        while (shapes.size() <= index) {
            shapes.add(null);
        }
        CompletionLogprobs shape = shapes.get(index);
        if (shape == null) {
            shape = new CompletionLogprobs(wishes.tokensAsIds() ? null : translation.plan().tokenizer());
            shapes.set(index, shape);
        }
        return shape;
    }

    /** The tokens of a choice, or null. */
    void tokens(@Nullable AnswerChoice from, JsonOut out) {
        if (wishes.tokenIds() && from != null) {
            ChoiceFields.tokens(from.tokenIds(), ChoiceFields.kept(from), out);
        } else {
            out.nullValue();
        }
    }

    /**
     * The logprobs of a choice, or null.
     *
     * @param whole the whole answer, which has those of an echoed prompt; null in a stream
     * @param promptOnly whether those of the output are left out
     */
    void logprobs(
            @Nullable Answer whole, @Nullable AnswerChoice from, int index, boolean promptOnly, JsonOut out)
            throws MalformedJsonException {
        boolean withPrompt = whole != null && wishes.echo();
        if (!wishes.logprobs() || from == null || (from.logprobs() == null && !withPrompt)) {
            out.nullValue();
            return;
        }
        shape(index)
                .write(
                        withPrompt ? translation.request().promptTokenIds() : new int[0],
                        whole == null ? null : whole.promptLogprobs(),
                        promptOnly ? null : from.logprobs(),
                        ChoiceFields.kept(from),
                        out);
    }
}
