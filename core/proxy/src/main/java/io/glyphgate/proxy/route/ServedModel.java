package io.glyphgate.proxy.route;

import io.glyphgate.proxy.choice.OutputPlan;
import io.glyphgate.proxy.config.ProxyConfig;
import io.glyphgate.spi.Tokenizer;
import org.jspecify.annotations.Nullable;

/**
 * A model that clients can ask for.
 *
 * @param name its name in the configuration
 * @param config its configuration
 * @param tokenizer its tokenizer; null if the configuration names none
 * @param parsers its parsers
 */
public record ServedModel(
        String name, ProxyConfig.Model config, @Nullable Tokenizer tokenizer, OutputPlan.Parsers parsers) {
    /** The number of token IDs; {@link Integer#MAX_VALUE} if it is not known. */
    public int vocabularySize() {
        if (config.vocabularySize().isPresent()) {
            return config.vocabularySize().getAsInt();
        }
        return tokenizer == null ? Integer.MAX_VALUE : tokenizer.vocabularySize();
    }
}
