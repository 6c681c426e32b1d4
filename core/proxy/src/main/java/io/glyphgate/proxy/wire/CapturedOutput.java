package io.glyphgate.proxy.wire;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import io.glyphgate.spi.InvalidRequestException;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The raw tokens of one choice, with all that decides how they are parsed: one JSON object, which {@code glyphgate parse} plays
 * again. Its fields are the components in snake case.
 *
 * @param requestId the ID of the request
 * @param choice the index of the choice
 * @param time when it was captured, ISO 8601
 * @param pool the pool that served it
 * @param model the model as the configuration names it
 * @param tokenizer the model's tokenizer
 * @param parsers the names of the model's parsers
 * @param anomalies what was found
 * @param promptTokenIds the end of the prompt
 * @param promptTokensLeftOut how many tokens of the prompt stand before it
 * @param tokenIds the tokens that the server sent, from the first on
 * @param tokensLeftOut how many came after them
 * @param finishReason how the server ended it; null if it did not
 * @param stopReason the stop token's ID or the stop string that the server names; null if it names none
 * @param sampling what the request says about its text
 * @param parseContext what the request says about parsing, as {@code parse_context}; possibly empty
 */
public record CapturedOutput(
        String requestId,
        int choice,
        String time,
        String pool,
        String model,
        TokenizerName tokenizer,
        ParserNames parsers,
        List<Found> anomalies,
        int[] promptTokenIds,
        int promptTokensLeftOut,
        int[] tokenIds,
        int tokensLeftOut,
        @Nullable String finishReason,
        @Nullable Object stopReason,
        Sampling sampling,
        Map<String, Object> parseContext) {
    private static final ObjectMapper MAPPER = Json.MAPPER
            .copy()
            .setPropertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES);

    /**
     * Where a tokenizer comes from.
     *
     * @param provider the tokenizer plugin
     * @param source a URI
     * @param options options of the provider
     */
    public record TokenizerName(String provider, String source, Map<String, String> options) {}

    /**
     * Names of parsers.
     *
     * @param parser a combined one, or null
     * @param reasoningParser or null
     * @param toolParser or null
     */
    public record ParserNames(@Nullable String parser, @Nullable String reasoningParser, @Nullable String toolParser) {}

    /**
     * An anomaly.
     *
     * @param parserKind the kind of the parser that it is about
     * @param parser the name of that parser
     * @param kind what was found
     */
    public record Found(String parserKind, String parser, String kind) {}

    /**
     * What {@code sampling_params} says about the text.
     *
     * @param skipSpecialTokens {@code skip_special_tokens}
     * @param spacesBetweenSpecialTokens {@code spaces_between_special_tokens}
     * @param stop the stop strings
     * @param includeStopStrInOutput {@code include_stop_str_in_output}
     * @param minTokens {@code min_tokens}
     */
    public record Sampling(
            boolean skipSpecialTokens,
            boolean spacesBetweenSpecialTokens,
            List<String> stop,
            boolean includeStopStrInOutput,
            int minTokens) {}

    /** The object as one line of JSON. */
    public byte[] toJson() {
        try {
            return MAPPER.writeValueAsBytes(this);
        } catch (JsonProcessingException e) {
            throw new AssertionError("plain values can be written", e);
        }
    }

    /**
     * Reads an object.
     *
     * @throws InvalidRequestException if the bytes hold none
     */
    public static CapturedOutput parse(byte[] bytes) {
        try {
            return MAPPER.readValue(bytes, CapturedOutput.class);
        } catch (JsonProcessingException e) {
            throw new InvalidRequestException("", "This is no captured output: " + e.getOriginalMessage() + ".");
        } catch (IOException e) {
            throw new AssertionError("bytes in memory do not fail", e);
        }
    }

    /**
     * What the request says about parsing.
     *
     * @throws InvalidRequestException if the parse context holds what cannot be
     */
    public ParseRequest parseRequest() {
        return ParseRequestReader.read(MAPPER.valueToTree(parseContext), null);
    }
}
