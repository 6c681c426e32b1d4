package io.glyphgate.proxy.wire;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.glyphgate.spi.InvalidRequestException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A request to {@code /v1/completions}. */
public final class CompletionRequest extends TextRequest {
    private static final Set<String> FIELDS = Set.of("prompt", "prompt_embeds", "suffix", "best_of");
    private static final String PROMPT = "prompt";
    /** vLLM's VLLM_MAX_COMPLETION_PROMPTS. */
    private static final int MOST_PROMPTS = 1024;

    private static final long DEFAULT_MAX_TOKENS = 16;

    private final List<Prompt> prompts = new ArrayList<>();

    /** One prompt. */
    public sealed interface Prompt {
        /**
         * A text.
         *
         * @param text the text
         */
        record Text(String text) implements Prompt {}

        /**
         * Tokens.
         *
         * @param ids their IDs
         */
        record Tokens(int[] ids) implements Prompt {}
    }

    private CompletionRequest(byte[] bytes) {
        super(bytes);
    }

    /**
     * Reads and checks all of it; what is wrong with a request that a server answers by itself is that server's to say.
     *
     * @param strict whether a field that is not known is refused
     * @throws InvalidBodyException if its shape is wrong
     * @throws InvalidRequestException if it contradicts itself, or asks for what cannot be had
     */
    public void check(boolean strict) {
        if (strict) {
            checkNames(FIELDS);
        }
        if (body.hasNonNull("suffix")) {
            throw unsupported("suffix", "nobody knows how the model marks a gap to fill; write its markers into the prompt");
        }
        if (body.hasNonNull("prompt_embeds")) {
            throw unsupported("prompt_embeds", "this proxy reads texts and tokens");
        }
        if (number("best_of", 1) > number("n", 1)) {
            throw unsupported("best_of", "vLLM makes no more outputs than it gives; use n");
        }
        readPrompts();
        checkLogprobs();
        if (!body.path("logprob_token_ids").isEmpty() && !body.hasNonNull("logprobs")) {
            throw new InvalidRequestException("logprob_token_ids", "when using `logprob_token_ids`, `logprobs` must be set.");
        }
        checkCommon();
        if (wishes().echo() && wishes().logprobs() && stream()) {
            throw unsupported("echo", "servers give no logprobs of the prompt in a stream; leave out stream or logprobs");
        }
    }

    /**
     * Reads and checks what says how an output is read that is there already.
     *
     * @param strict whether a field that is not known is refused
     * @throws InvalidBodyException if its shape is wrong
     * @throws InvalidRequestException if it contradicts itself
     */
    public void checkOfOutput(boolean strict) {
        if (strict) {
            checkNames(FIELDS);
        }
        checkLogprobs();
        checkCommonOfOutput();
    }

    private void checkLogprobs() {
        if (number("logprobs", 0) < -1) {
            throw new InvalidRequestException("logprobs", "`logprobs` must be a positive value or -1.");
        }
    }

    /**
     * Reads a request, as far as all doors must know it.
     *
     * @param bytes the body, UTF-8
     * @throws InvalidBodyException if it is no JSON object
     */
    public static CompletionRequest of(byte[] bytes) {
        return new CompletionRequest(bytes);
    }

    private void readPrompts() {
        JsonNode prompt = body.path(PROMPT);
        if (prompt.isNull() || prompt.isMissingNode() || (prompt.isTextual() && prompt.textValue().isEmpty())) {
            throw new InvalidRequestException(PROMPT, "prompt must be provided and non-empty.");
        }
        if (prompt.isArray() && prompt.isEmpty()) {
            throw new InvalidRequestException(PROMPT, "You must pass at least one prompt.");
        }
        if (prompt.isTextual()) {
            prompts.add(new Prompt.Text(prompt.textValue()));
        } else if (prompt.isArray() && prompt.get(0).isNumber()) {
            prompts.add(new Prompt.Tokens(tokens(prompt, PROMPT)));
        } else if (prompt.isArray()) {
            readList(prompt);
        } else {
            throw notAPrompt(PROMPT);
        }
    }

    private void readList(JsonNode list) {
        if (list.size() > MOST_PROMPTS) {
            throw new InvalidRequestException(
                    PROMPT, "prompt holds " + list.size() + " prompts; the most is " + MOST_PROMPTS + ".");
        }
        boolean texts = list.get(0).isTextual();
        for (int i = 0; i < list.size(); i++) {
            JsonNode each = list.get(i);
            String at = PROMPT + "[" + i + "]";
            if (each.isTextual() != texts || !(each.isTextual() || each.isArray())) {
                throw notAPrompt(at);
            }
            if (each.isTextual() ? each.textValue().isEmpty() : each.isEmpty()) {
                throw new InvalidRequestException(at, "A prompt cannot be empty.");
            }
            prompts.add(each.isTextual() ? new Prompt.Text(each.textValue()) : new Prompt.Tokens(tokens(each, at)));
        }
    }

    private static InvalidRequestException notAPrompt(String at) {
        return new InvalidRequestException(
                at, at + " is no prompt: send a text, a list of texts, a list of token IDs, or a list of such lists.");
    }

    private static int[] tokens(JsonNode list, String at) {
        int[] ids = new int[list.size()];
        for (int i = 0; i < ids.length; i++) {
            JsonNode id = list.get(i);
            if (!id.isIntegralNumber() || !id.canConvertToInt() || id.intValue() < 0) {
                throw new InvalidRequestException(at + "[" + i + "]", "A token ID must be a whole number from 0 on.");
            }
            ids[i] = id.intValue();
        }
        return ids;
    }

    /** The prompts, at least one. */
    public List<Prompt> prompts() {
        return prompts;
    }

    @Override
    public boolean addSpecialTokens() {
        return fields.flag("add_special_tokens", true, true);
    }

    @Override
    public OutputWishes wishes() {
        return wishes(body.hasNonNull("logprobs") || outputOnly(), number("logprobs", 0));
    }

    /** Whether only the prompt is wanted, and no output. */
    public boolean onlyEchoes() {
        return wishes().echo() && number("max_tokens", DEFAULT_MAX_TOKENS) == 0;
    }

    @Override
    @Nullable Long maxTokens() {
        return onlyEchoes() ? 1 : number("max_tokens", DEFAULT_MAX_TOKENS);
    }

    @Override
    void addSampling(ObjectNode sampling) {
        if (body.hasNonNull("logprobs") && body.path("logprob_token_ids").isEmpty()) {
            sampling.put("logprobs", number("logprobs", 0));
        }
        if (body.hasNonNull("prompt_logprobs")) {
            sampling.put("prompt_logprobs", number("prompt_logprobs", 0));
        } else if (wishes().echo() && body.hasNonNull("logprobs")) {
            sampling.put("prompt_logprobs", number("logprobs", 0));
        }
    }

    @Override
    void addFields(ObjectNode generate, ModelRules rules) {
        // a completion is not parsed
    }

    @Override
    void addParsing(ObjectNode rendered, ModelRules rules, RenderedParsing parsed) {
        // a completion is not parsed
    }
}
