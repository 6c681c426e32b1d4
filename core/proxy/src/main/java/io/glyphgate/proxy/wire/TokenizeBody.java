package io.glyphgate.proxy.wire;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.glyphgate.spi.InvalidRequestException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A request to {@code /tokenize} or {@code /v2/tokenizer}: a prompt, or the messages of a chat. */
public sealed interface TokenizeBody {
    /** The model; empty if none is named. */
    Optional<String> model();

    /** Whether special tokens are put around the text. */
    boolean addSpecialTokens();

    /** Whether the tokens are wanted as strings, too. */
    boolean tokenStrings();

    /**
     * A prompt.
     *
     * @param model the model; empty if none is named
     * @param prompt the text
     * @param addSpecialTokens whether special tokens are put around the text
     * @param tokenStrings whether the tokens are wanted as strings, too
     */
    record Prompt(Optional<String> model, String prompt, boolean addSpecialTokens, boolean tokenStrings)
            implements TokenizeBody {}

    /**
     * Messages.
     *
     * @param model the model; empty if none is named
     * @param chat the messages and how they become a prompt
     * @param addSpecialTokens whether special tokens are put around the prompt
     * @param tokenStrings whether the tokens are wanted as strings, too
     */
    record Chat(Optional<String> model, ChatBody chat, boolean addSpecialTokens, boolean tokenStrings)
            implements TokenizeBody {}

    /**
     * Reads a request to {@code /tokenize}. Where a body is both, it is messages.
     *
     * @throws InvalidBodyException if it is neither
     * @throws InvalidRequestException if it contradicts itself
     */
    static TokenizeBody parse(byte[] bytes) {
        ObjectNode body = Fields.body(bytes, true);
        if (ChatBody.continuesAndPrompts(body)) {
            throw new InvalidRequestException("", ChatBody.CONTRADICTION);
        }
        List<Invalid> promptFaults = new ArrayList<>();
        List<Invalid> chatFaults = new ArrayList<>();
        Fields fields = new Fields(body, List.of(Invalid.BODY), promptFaults);
        Prompt prompt = new Prompt(
                model(fields),
                fields.text("prompt"),
                fields.flag("add_special_tokens", true, false),
                fields.flag("return_token_strs", false, true));
        fields = new Fields(body, List.of(Invalid.BODY), chatFaults);
        Optional<String> model = model(fields);
        ChatBody chat = ChatBody.read(fields);
        Chat messages = new Chat(
                model, chat, fields.flag("add_special_tokens", false, false), fields.flag("return_token_strs", false, true));
        if (chatFaults.isEmpty()) {
            return messages;
        }
        if (promptFaults.isEmpty()) {
            return prompt;
        }
        promptFaults.addAll(chatFaults);
        throw new InvalidBodyException(promptFaults);
    }

    /**
     * Reads a request to {@code /v2/tokenizer}, which has the form that vLLM 0.8.2 had. Where a body is both, it is a prompt.
     *
     * @throws InvalidBodyException if it is neither
     */
    static TokenizeBody parseVersion2(byte[] bytes) {
        ObjectNode body = Fields.body(bytes, true);
        List<Object> path = List.of(Invalid.BODY, "function-wrap[__log_extra_fields__()]");
        List<Invalid> faults = new ArrayList<>();
        Fields fields = new Fields(body, path, faults);
        Prompt prompt = new Prompt(
                model(fields), fields.text("prompt"), fields.flag("add_special_tokens", true, false), false);
        if (faults.isEmpty()) {
            return prompt;
        }
        int ofPrompt = faults.size();
        if (ChatBody.continuesAndPrompts(body)) {
            faults.add(new Invalid(
                    "value_error", path, "Value error, " + ChatBody.CONTRADICTION, body, ChatBody.CONTRADICTION));
            throw new InvalidBodyException(faults);
        }
        Optional<String> model = model(fields);
        ChatBody chat = ChatBody.readVersion2(fields);
        Chat messages = new Chat(model, chat, fields.flag("add_special_tokens", false, false), false);
        if (faults.size() > ofPrompt) {
            throw new InvalidBodyException(faults);
        }
        return messages;
    }

    /** The model that a body names. */
    static Optional<String> model(Fields fields) {
        return Optional.ofNullable(fields.textOrNull("model")).filter(name -> !name.isEmpty());
    }
}
