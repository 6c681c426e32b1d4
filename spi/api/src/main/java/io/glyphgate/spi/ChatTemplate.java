package io.glyphgate.spi;

import java.time.LocalDateTime;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A compiled chat template; used by many threads at once.
 *
 * @since 1.0
 */
public interface ChatTemplate {
    /** How a template takes the content of a message. */
    enum ContentFormat {
        /** As one text: the caller joins the text parts of a content before it renders. */
        STRING,
        /** As the list of parts that the client sent. */
        OPENAI
    }

    /**
     * The form of content that the template is written for, found in its source. Source: vLLM's {@code
     * --chat-template-content-format auto}.
     *
     * @return {@link ContentFormat#OPENAI} if the template walks over the parts of a message's content
     */
    ContentFormat contentFormat();

    /**
     * Renders a prompt. The same arguments give the same text.
     *
     * @param variables what the template can read, for example {@code messages}, {@code tools}, {@code
     *     add_generation_prompt} and {@code bos_token}: values as JSON has them, which are {@link String}, {@link Boolean},
     *     {@link Integer}, {@link Long}, {@link java.math.BigInteger}, {@link Double}, null, {@link java.util.List} and {@link
     *     Map} from String in its own order; none of them is changed
     * @param now the wall-clock time that a template prints which asks for today's date
     * @return the prompt as text
     * @throws ChatTemplateException if the template refuses these variables, cannot work with them, or takes too much
     * @throws IllegalArgumentException if a value has another type
     */
    String render(Map<String, ? extends @Nullable Object> variables, LocalDateTime now) throws ChatTemplateException;
}
