package io.glyphgate.proxy.wire;

import java.util.Map;
import java.util.OptionalInt;

/**
 * How many tokens a request took, in vLLM's shape.
 *
 * @param promptTokens tokens of the prompt
 * @param completionTokens tokens of all choices
 */
public record Usage(int promptTokens, int completionTokens) {
    private static final String PROMPT_DETAILS = "prompt_tokens_details";
    private static final String COMPLETION_DETAILS = "completion_tokens_details";

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
        writeWhole(Map.of(), OptionalInt.empty(), out);
    }

    /**
     * Writes it as a whole answer has it, with null for details that there are not.
     *
     * @param prompt what the server says of the prompt's tokens; empty if it says nothing
     * @param reasoning how many of the output's tokens are reasoning; empty where nobody tells them apart
     */
    public void writeWhole(Map<?, ?> prompt, OptionalInt reasoning, JsonOut out) {
        totals(out);
        out.name(PROMPT_DETAILS);
        if (prompt.isEmpty()) {
            out.nullValue();
        } else {
            JsonEdit.plain(prompt).write(out);
        }
        out.name(COMPLETION_DETAILS);
        if (reasoning.isEmpty()) {
            out.nullValue();
        } else {
            details(reasoning.getAsInt(), out);
        }
        out.endObject();
    }

    /**
     * Writes it as an event has it, without details that there are not.
     *
     * @param prompt what the server says of the prompt's tokens; empty if it says nothing
     * @param reasoning how many of the output's tokens are reasoning; empty where nobody tells them apart
     */
    public void writeShort(Map<?, ?> prompt, OptionalInt reasoning, JsonOut out) {
        totals(out);
        if (!prompt.isEmpty()) {
            JsonEdit.plain(prompt).write(out.name(PROMPT_DETAILS));
        }
        if (reasoning.isPresent()) {
            details(reasoning.getAsInt(), out.name(COMPLETION_DETAILS));
        }
        out.endObject();
    }

    private static void details(int reasoning, JsonOut out) {
        out.beginObject().name("reasoning_tokens").number(reasoning).endObject();
    }
}
