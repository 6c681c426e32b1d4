package io.glyphgate.proxy.wire;

/**
 * What a client of the doors for chats and completions wants to see of the output.
 *
 * @param stream whether the answer is a stream
 * @param includeUsage whether the stream ends with the usage
 * @param continuousUsage whether each event of the stream tells the usage so far
 * @param choices how many outputs are made of a prompt
 * @param logprobs whether the logprobs of the tokens are wanted
 * @param candidates how many candidates of a token; {@link ChatLogprobs#ALL} for all
 * @param tokensAsIds whether tokens in logprobs are written as {@code token_id:N}
 * @param tokenIds whether the token IDs are wanted, those of the prompt too
 * @param promptText whether the text of the prompt is wanted
 * @param weightVersions whether it is wanted which weights made which token
 * @param echo whether what was there before the output comes before it: the prompt, or the last message
 */
public record OutputWishes(
        boolean stream,
        boolean includeUsage,
        boolean continuousUsage,
        int choices,
        boolean logprobs,
        int candidates,
        boolean tokensAsIds,
        boolean tokenIds,
        boolean promptText,
        boolean weightVersions,
        boolean echo) {}
