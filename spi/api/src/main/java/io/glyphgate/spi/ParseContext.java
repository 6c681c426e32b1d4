package io.glyphgate.spi;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a request says that matters to parsing. Implemented by the host, so it may grow; use the test kit's context in tests.
 *
 * @since 1.0
 */
public interface ParseContext {
    /**
     * The model as the configuration names it.
     *
     * @return its name
     */
    String model();

    /**
     * The model's tokenizer.
     *
     * @return empty only where a parser runs on recorded text, as the conformance run does
     */
    Optional<Tokenizer> tokenizer();

    /**
     * The functions that the caller offers.
     *
     * @return in the caller's order; possibly empty
     */
    List<Tool> tools();

    /**
     * Whether calls are wanted. The host drops calls that are not; a parser needs it only where the format depends on it.
     *
     * @return the choice; where the caller did not say, {@link ToolChoice#AUTO} for a chat request with tools, else {@link
     *     ToolChoice#NONE}
     */
    ToolChoice toolChoice();

    /**
     * The arguments of the chat template, for example {@code enable_thinking}. Source: {@code chat_template_kwargs}.
     *
     * @return values as JSON has them; possibly empty
     */
    Map<String, Object> chatTemplateArguments();

    /**
     * The tokens of the prompt.
     *
     * @return the IDs, not to be modified; possibly empty
     */
    int[] promptTokenIds();

    /**
     * The end of the prompt as text, special tokens included, to see whether the template opened or closed a reasoning block.
     *
     * @param tokens how many tokens to look back at most
     * @return the text of the last tokens; empty when there is no prompt
     */
    String promptTail(int tokens);

    /**
     * How the tool parser that works behind a reasoning parser opens its calls.
     *
     * @return empty when there is no tool parser, or calls are not wanted
     */
    List<ToolOpener> toolOpeners();

    /**
     * How many tool calls the conversation holds already; some formats number on. Source: {@code history_tool_call_cnt} of
     * vLLM's {@code parse_context}.
     *
     * @return 0 or more
     */
    int earlierToolCalls();
}
