package io.glyphgate.plugin.tokenizerhuggingface;

import io.glyphgate.spi.Detokenizer;
import io.glyphgate.spi.DetokenizerOptions;
import java.util.Arrays;
import java.util.List;

/**
 * Text from a {@code tekken.json} vocabulary as vLLM's slow path makes it, which works on a window of tokens.
 *
 * @param vocabulary the vocabulary
 * @param always special tokens that are always text, whatever the request says
 */
record TekkenDecoder(Vocabulary vocabulary, int[] always) implements TextDecoder {
    private static final List<String> ALWAYS = List.of("[TOOL_CALLS]", "[ARGS]", "[THINK]", "[/THINK]");

    /** How many tokens of the prompt vLLM turns into strings, and how many of those it looks back at. */
    private static final int PROMPT_TOKENS = 7;

    private static final int WINDOW = 5;

    static TekkenDecoder of(Vocabulary vocabulary) {
        int[] always = ALWAYS.stream()
                .mapToInt(vocabulary.names()::find)
                .filter(id -> id >= 0)
                .toArray();
        return new TekkenDecoder(vocabulary, always);
    }

    /** Special tokens hide in vLLM's slow path even when they are not skipped, but for the few that are always text. */
    @Override
    public Detokenizer detokenizer(DetokenizerOptions options) {
        var shown = ShownTokens.of(
                        vocabulary,
                        DetokenizerOptions.of(
                                options.promptTokenIds(),
                                true,
                                options.spacesBetweenSpecialTokens(),
                                options.keptTokens()))
                .and(always);
        // vLLM joins the bytes of tokens only where it skips special tokens; elsewhere each token is a string by itself. What parsers
        // read is whole all the same: they are why special tokens are asked for, and none but theirs would be seen
        boolean joined = options.skipSpecialTokens() || !options.keptTokens().isEmpty();
        var detokenizer = new ByteLevelDetokenizer(vocabulary, shown, joined);
        detokenizer.primeWindow(window(options.promptTokenIds(), shown, joined));
        return detokenizer;
    }

    /**
     * The tokens before the output that vLLM looks at: the tokens that it skips do not count, nor do they take a place.
     */
    private int[] window(int[] prompt, ShownTokens shown, boolean skipped) {
        int[] last = Arrays.copyOfRange(prompt, Math.max(0, prompt.length - PROMPT_TOKENS), prompt.length);
        int[] strings = skipped
                ? Arrays.stream(last)
                        .filter(id -> !shown.hides(id, vocabulary.kind(id)))
                        .toArray()
                : last;
        return Arrays.copyOfRange(strings, Math.max(0, strings.length - WINDOW), strings.length);
    }

    @Override
    public String decode(int[] tokenIds, boolean skipSpecialTokens) {
        var text = new StringBuilder();
        int from = 0;
        for (int i = 0; i <= tokenIds.length; i++) {
            // no character goes on across a special token, not even across one that is left out
            if (i == tokenIds.length || Vocabulary.isSpecial(vocabulary.kind(tokenIds[i]))) {
                int[] part = Arrays.copyOfRange(tokenIds, from, i);
                text.append(new ByteLevelDetokenizer(vocabulary, ShownTokens.of(skipSpecialTokens), true).whole(part));
                from = i;
            }
        }
        return text.toString();
    }
}
