package io.glyphgate.proxy.tokenize;

import io.glyphgate.proxy.route.ServedModel;
import io.glyphgate.proxy.wire.JsonValue;
import io.glyphgate.spi.Tokenizer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What the proxy says of a model's tokenizer. */
record TokenizerCard(ServedModel model, Tokenizer tokenizer) {
    private static final String CHAT_TEMPLATE = "chat_template";

    /**
     * The answer of {@code /tokenizer_info}: the settings of the tokenizer's files, in the form of vLLM's answer. Tokens are
     * texts, and the chat template is the one in use.
     */
    byte[] info() {
        Map<String, @Nullable Object> info = new LinkedHashMap<>();
        info.put("tokenizer_class", "PreTrainedTokenizerFast");
        tokenizer.settings().forEach((name, value) -> info.put(name, content(value)));
        model.chatTemplate().ifPresent(template -> info.put(CHAT_TEMPLATE, template));
        info.put("truncation_side", "left");
        return JsonValue.bytes(info);
    }

    /** A token is the text in it, also inside of lists and maps. */
    private static @Nullable Object content(@Nullable Object value) {
        return switch (value) {
            case Map<?, ?> map when map.get("content") instanceof String text -> text;
            case Map<?, ?> map -> {
                Map<String, @Nullable Object> copy = new LinkedHashMap<>();
                map.forEach((key, inner) -> copy.put(String.valueOf(key), content(inner)));
                yield copy;
            }
            case List<?> list -> list.stream().map(TokenizerCard::content).toList();
            case null, default -> value;
        };
    }
}
