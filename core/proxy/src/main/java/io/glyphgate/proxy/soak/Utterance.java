package io.glyphgate.proxy.soak;

import io.glyphgate.spi.Tokenizer;
import java.util.SplittableRandom;

/**
 * What a model says once in the notation of Qwen3, and what of it a client must be told.
 *
 * @param tokens the tokens, without the end-of-sequence token
 * @param text the text
 * @param reasoning the reasoning in it
 * @param content the content in it
 * @param arguments the arguments of the call in it; empty if there is none
 */
record Utterance(int[] tokens, String text, String reasoning, String content, String arguments) {
    /** The function that is called. */
    static final String FUNCTION = "look_up";

    private static final String[] WORDS = {
        "river", "boat 🛶", "Tromsø", "naïve", "12,345.678", "<b>", "x < y", "東京", "\"quoted\"", "back\\slash", "— dash", "é", "line\nbreak",
        "{", "}", "tool", "think", "a", "of", "the"
    };

    static Utterance random(SplittableRandom random, Tokenizer tokenizer) {
        String reasoning = words(random, 1 + random.nextInt(12));
        String content = random.nextInt(4) == 0 ? "" : words(random, 1 + random.nextInt(30));
        boolean calls = content.isEmpty() || random.nextInt(3) == 0;
        String arguments = calls ? "{\"query\": \"item " + random.nextInt(1000) + "\"}" : "";
        String text = "<think>\n" + reasoning + "\n</think>\n\n" + content
                + (calls ? "<tool_call>\n{\"name\": \"" + FUNCTION + "\", \"arguments\": " + arguments + "}\n</tool_call>" : "");
        return new Utterance(tokenizer.encode(text, false), text, reasoning, content, arguments);
    }

    private static String words(SplittableRandom random, int count) {
        StringBuilder words = new StringBuilder();
        for (int i = 0; i < count; i++) {
            words.append(i == 0 ? "" : " ").append(WORDS[random.nextInt(WORDS.length)]);
        }
        return words.toString();
    }
}
