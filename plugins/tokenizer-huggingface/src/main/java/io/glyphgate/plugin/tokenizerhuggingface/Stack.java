package io.glyphgate.plugin.tokenizerhuggingface;

import java.io.IOException;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * The library through which the servers load their tokenizer. The same files give other tokens and texts under another one, so
 * the one of the servers must be copied.
 */
enum Stack {
    /** The tokenizers library alone: the file as it is. */
    TOKENIZERS,
    /** transformers 4, which vLLM used up to 0.10 or so: as the file is, and texts are cleaned up where the settings say so. */
    TRANSFORMERS_4,
    /** transformers 5: tokenizers of the class {@code LlamaTokenizer} are built anew, and no text is cleaned up. */
    TRANSFORMERS_5;

    /** The one of a name. */
    static Stack named(String name) throws IOException {
        return Arrays.stream(values())
                .filter(stack -> stack.label().equals(name))
                .findFirst()
                .orElseThrow(() -> new IOException("the stack \"" + name + "\" is unknown: use "
                        + Arrays.stream(values()).map(Stack::label).collect(Collectors.joining(", "))));
    }

    String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
