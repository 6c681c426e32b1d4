package io.glyphgate.spi;

/**
 * Compiles chat templates: the text beside a tokenizer that turns messages into a prompt.
 *
 * @since 1.0
 */
public interface ChatTemplateProvider extends Provider {
    /**
     * Compiles a template. Meant to be called once per template; what it gives is used by many requests.
     *
     * @param source the template as its file holds it
     * @return the template, ready to use
     * @throws ChatTemplateException if the source is no valid template
     */
    ChatTemplate compile(String source) throws ChatTemplateException;
}
