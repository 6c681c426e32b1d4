package io.glyphgate.proxy.wire;

import com.fasterxml.jackson.databind.JsonNode;
import io.glyphgate.proxy.wire.Answer.RawValue;
import io.glyphgate.spi.Tokenizer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Turns the logprobs of one choice from vLLM's shape for tokens into the shape of completions: four lists, with an entry for each
 * token. Must see all logprobs of the choice, in order; how they are cut does not matter.
 */
public final class CompletionLogprobs {
    private final TokenTexts texts;
    /** Where the next token's text begins, in characters as Python counts them. */
    private int offset;

    /**
     * A translation.
     *
     * @param tokenizer gives the text; null to write {@code token_id:N}
     */
    public CompletionLogprobs(@Nullable Tokenizer tokenizer) {
        texts = new TokenTexts(tokenizer);
    }

    /**
     * One token.
     *
     * @param text its text
     * @param logprob null if nobody knows it
     * @param candidates what could have stood in its place, itself first; null if nobody knows
     */
    private record Position(String text, @Nullable Double logprob, @Nullable Map<String, Double> candidates) {}

    /**
     * Writes the next logprobs, those of an echoed prompt before them.
     *
     * @param prompt the tokens of a prompt that is echoed; empty if none is
     * @param promptLogprobs their logprobs, as {@code prompt_logprobs} has them; null if none were asked for
     * @param output the value of the field {@code logprobs}; null if there are none
     * @param kept how many of its tokens belong to the output
     * @param out gains one value
     * @throws MalformedJsonException if a value has not the shape of vLLM's
     */
    public void write(int[] prompt, @Nullable RawValue promptLogprobs, @Nullable RawValue output, int kept, JsonOut out)
            throws MalformedJsonException {
        List<Position> positions = new ArrayList<>();
        if (prompt.length > 0) {
            addPrompt(prompt, promptLogprobs, positions);
        }
        if (output != null) {
            JsonNode content = TokenTexts.positions(output.bytes(), output.from(), output.to());
            for (int i = 0; i < Math.min(kept, content.size()); i++) {
                addToken(content.path(i), i, positions);
            }
        }
        write(positions, out);
    }

    /**
     * Goes on behind tokens that were told of before.
     *
     * @param before the tokens; the latest of them matter
     * @param length what {@link #length()} was behind them
     */
    public void goOn(int[] before, int length) {
        texts.goOn(before);
        offset = length;
    }

    /** How long the tokens were that it has told of, in characters as Python counts them. */
    public int length() {
        return offset;
    }

    private void addToken(JsonNode entry, int position, List<Position> to) throws MalformedJsonException {
        int tokenId = TokenTexts.tokenId(entry, position);
        JsonNode top = entry.path("top_logprobs");
        Map<String, Double> candidates = new LinkedHashMap<>();
        for (JsonNode candidate : top) {
            candidates.put(texts.text(TokenTexts.tokenId(candidate, position), true), TokenTexts.logprob(candidate));
        }
        String text = texts.text(tokenId, !top.isEmpty());
        texts.remember(tokenId);
        to.add(top.isEmpty() ? new Position(text, null, null) : new Position(text, TokenTexts.logprob(entry), candidates));
    }

    private void addPrompt(int[] prompt, @Nullable RawValue logprobs, List<Position> to) throws MalformedJsonException {
        JsonNode all = logprobs == null ? null : PromptLogprobs.read(logprobs);
        for (int i = 0; i < prompt.length; i++) {
            JsonNode here = all == null ? null : all.path(i);
            if (here == null || !here.isObject()) {
                to.add(new Position(texts.text(prompt[i], false), null, null));
            } else {
                Map<String, Double> candidates = new LinkedHashMap<>();
                for (Map.Entry<String, JsonNode> each : here.properties()) {
                    candidates.put(
                            texts.text(PromptLogprobs.tokenId(each.getKey()), true), TokenTexts.logprob(each.getValue()));
                }
                JsonNode own = here.path(String.valueOf(prompt[i]));
                to.add(new Position(texts.text(prompt[i], true), TokenTexts.logprob(own), candidates));
            }
            texts.remember(prompt[i]);
        }
    }

    private void write(List<Position> positions, JsonOut out) {
        out.beginObject().name("text_offset").beginArray();
        for (Position position : positions) {
            out.number(offset);
            offset += position.text.codePointCount(0, position.text.length());
        }
        out.endArray().name("token_logprobs").beginArray();
        for (Position position : positions) {
            if (position.logprob == null) {
                out.nullValue();
            } else {
                out.number(position.logprob);
            }
        }
        out.endArray().name("tokens").beginArray();
        positions.forEach(position -> out.string(position.text));
        out.endArray().name("top_logprobs").beginArray();
        for (Position position : positions) {
            if (position.candidates == null) {
                out.nullValue();
            } else {
                out.beginObject();
                position.candidates.forEach((text, logprob) -> out.name(text).number(logprob));
                out.endObject();
            }
        }
        out.endArray().endObject();
    }
}
