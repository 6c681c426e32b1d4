package io.glyphgate.proxy.wire;

/**
 * How many tokens a request took, in vLLM's shape.
 *
 * @param promptTokens tokens of the prompt
 * @param completionTokens tokens of all choices
 */
public record Usage(int promptTokens, int completionTokens) {
    /** Writes it as the last event of a stream has it, without details. */
    public void writeTotals(JsonOut out) {
        totals(out);
        out.endObject();
    }

    private void totals(JsonOut out) {
        out.beginObject();
        out.name("prompt_tokens").number(promptTokens);
        out.name("total_tokens").number((long) promptTokens + completionTokens);
        out.name("completion_tokens").number(completionTokens);
    }

    /** Writes it as one value. */
    public void write(JsonOut out) {
        totals(out);
        out.name("prompt_tokens_details").nullValue();
        out.name("completion_tokens_details").nullValue();
        out.endObject();
    }
}
