package io.glyphgate.proxy.route;

import io.glyphgate.proxy.choice.OutputPlan;
import io.glyphgate.proxy.config.ProxyConfig;
import io.glyphgate.proxy.render.Renderer;
import io.glyphgate.proxy.wire.JsonValue;
import io.glyphgate.spi.Tokenizer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * A model that clients can ask for.
 *
 * @param name its name in the configuration
 * @param config its configuration
 * @param tokenizer its tokenizer; null if the configuration names none
 * @param parsers its parsers
 * @param samplingDefaults sampling parameters of texts and chats where a client gives none
 * @param renderer makes prompts of messages; null if there is no tokenizer, or no plugin that compiles chat templates
 */
public record ServedModel(
        String name,
        ProxyConfig.Model config,
        @Nullable Tokenizer tokenizer,
        OutputPlan.Parsers parsers,
        Map<String, Object> samplingDefaults,
        @Nullable Renderer renderer) {
    /** How many tokens prompt and output may have together; empty if it is not known. */
    public OptionalInt maxLength() {
        if (config.maxModelLen().isPresent()) {
            return config.maxModelLen();
        }
        // the transformers library writes 10^30 where it knows no limit
        return tokenizer != null && tokenizer.settings().get("model_max_length") instanceof Integer length && length > 0
                ? OptionalInt.of(length)
                : OptionalInt.empty();
    }

    /** The chat template that is used where nobody asks for another one; empty if there is none, or there are several. */
    public Optional<String> chatTemplate() {
        List<String> templates = renderer == null ? List.of() : renderer.templates();
        return templates.size() == 1 ? Optional.of(templates.getFirst()) : Optional.empty();
    }

    /** Whether the proxy can make prompts of messages for it. */
    public boolean rendersMessages() {
        return renderer != null && !renderer.templates().isEmpty();
    }

    /** Whether it has a parser of any kind. */
    public boolean isParsed() {
        return config.hasParser();
    }

    /** Arguments of the chat template where a client gives none. */
    public Map<String, @Nullable Object> templateDefaults() {
        Map<String, @Nullable Object> defaults = new LinkedHashMap<>();
        config.chatTemplate().defaultArguments().forEach((argument, value) -> defaults.put(argument, JsonValue.orText(value)));
        return defaults;
    }

    /** The number of token IDs; {@link Integer#MAX_VALUE} if it is not known. */
    public int vocabularySize() {
        if (config.vocabularySize().isPresent()) {
            return config.vocabularySize().getAsInt();
        }
        return tokenizer == null ? Integer.MAX_VALUE : tokenizer.vocabularySize();
    }
}
