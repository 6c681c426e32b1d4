package io.glyphgate.proxy.tokenize;

import io.glyphgate.proxy.generate.Client;
import io.glyphgate.proxy.generate.ClientGoneException;
import io.glyphgate.proxy.generate.FailedException;
import io.glyphgate.proxy.render.Renderer;
import io.glyphgate.proxy.route.ServedModel;
import io.glyphgate.proxy.wire.ChatBody;
import io.glyphgate.spi.InvalidRequestException;
import io.glyphgate.spi.Tokenizer;
import java.util.function.Supplier;

/** Makes prompts of texts and messages, for all doors that take such. */
public final class Prompts implements AutoCloseable {
    private final boolean trusted;
    private final LongWork work = new LongWork();

    /**
     * Prompts.
     *
     * @param trusted whether a client may bring a chat template of its own
     */
    Prompts(boolean trusted) {
        this.trusted = trusted;
    }

    /**
     * The text of messages.
     *
     * @throws InvalidRequestException if it cannot be made
     */
    public String render(ChatBody chat, ServedModel model) {
        Renderer renderer = model.renderer();
        if (renderer == null) {
            throw new InvalidRequestException(
                    "", "This proxy cannot render messages: it has no plugin that compiles chat templates.");
        }
        return renderer.render(chat, trusted);
    }

    /**
     * The tokens of a text.
     *
     * @throws InvalidRequestException if the text holds half a character
     */
    public int[] encode(String text, Tokenizer tokenizer, boolean addSpecialTokens) {
        return new Words.Local(tokenizer).encode(text, addSpecialTokens);
    }

    /**
     * Does work for a client, where long work holds up no other client.
     *
     * @param size how large the body is
     * @param client the client that waits
     * @throws ClientGoneException if the client leaves while the work waits or runs
     * @throws FailedException if the proxy is stopped meanwhile
     */
    public <T> T work(int size, Client client, Supplier<T> task) {
        return work.of(size, client, task);
    }

    @Override
    public void close() {
        work.close();
    }
}
