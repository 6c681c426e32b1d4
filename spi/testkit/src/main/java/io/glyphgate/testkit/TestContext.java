package io.glyphgate.testkit;

import io.glyphgate.spi.ParseContext;
import io.glyphgate.spi.Tokenizer;
import io.glyphgate.spi.Tool;
import io.glyphgate.spi.ToolChoice;
import io.glyphgate.spi.ToolOpener;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A fixed {@link ParseContext}. */
public final class TestContext implements ParseContext {
    private static final int[] NO_TOKENS = {};

    private final String model;
    private final @Nullable Tokenizer tokenizer;
    private final List<Tool> tools;
    private final ToolChoice toolChoice;
    private final Map<String, Object> chatTemplateArguments;
    private final String prompt;
    private final int[] promptTokenIds;
    private final List<ToolOpener> toolOpeners;
    private final int earlierToolCalls;

    private TestContext(Builder builder) {
        model = builder.model;
        tokenizer = builder.tokenizer;
        tools = List.copyOf(builder.tools);
        toolChoice = builder.toolChoice != null
                ? builder.toolChoice
                : builder.tools.isEmpty() ? ToolChoice.NONE : ToolChoice.AUTO;
        chatTemplateArguments = Map.copyOf(builder.chatTemplateArguments);
        prompt = builder.prompt;
        promptTokenIds = tokenizer == null || prompt.isEmpty() ? NO_TOKENS : tokenizer.encode(prompt, false);
        toolOpeners = List.copyOf(builder.toolOpeners);
        earlierToolCalls = builder.earlierToolCalls;
    }

    /**
     * Starts a context without prompt, tools and tokenizer.
     *
     * @return a builder
     */
    public static Builder builder() {
        return new Builder();
    }

    @Override
    public String model() {
        return model;
    }

    @Override
    public Optional<Tokenizer> tokenizer() {
        return Optional.ofNullable(tokenizer);
    }

    @Override
    public List<Tool> tools() {
        return tools;
    }

    @Override
    public ToolChoice toolChoice() {
        return toolChoice;
    }

    @Override
    public Map<String, Object> chatTemplateArguments() {
        return chatTemplateArguments;
    }

    @Override
    public int[] promptTokenIds() {
        return promptTokenIds.clone();
    }

    /** Without a tokenizer a character counts as a token. */
    @Override
    public String promptTail(int tokens) {
        if (tokenizer == null) {
            return prompt.substring(Math.max(0, prompt.length() - tokens));
        }
        int from = Math.max(0, promptTokenIds.length - tokens);
        return tokenizer.decode(Arrays.copyOfRange(promptTokenIds, from, promptTokenIds.length), false);
    }

    @Override
    public List<ToolOpener> toolOpeners() {
        return toolOpeners;
    }

    @Override
    public int earlierToolCalls() {
        return earlierToolCalls;
    }

    /** Builds a context. */
    public static final class Builder {
        private String model = "test-model";
        private @Nullable Tokenizer tokenizer;
        private final List<Tool> tools = new ArrayList<>();
        private @Nullable ToolChoice toolChoice;
        private final Map<String, Object> chatTemplateArguments = new LinkedHashMap<>();
        private String prompt = "";
        private final List<ToolOpener> toolOpeners = new ArrayList<>();
        private int earlierToolCalls;

        private Builder() {}

        /**
         * Sets the model; {@code test-model} otherwise.
         *
         * @param name its name
         * @return this
         */
        public Builder model(String name) {
            model = name;
            return this;
        }

        /**
         * Sets the tokenizer; none otherwise.
         *
         * @param value the tokenizer
         * @return this
         */
        public Builder tokenizer(Tokenizer value) {
            tokenizer = value;
            return this;
        }

        /**
         * Offers a function. With at least one, the tool choice is {@link ToolChoice#AUTO} unless it is set.
         *
         * @param name its name
         * @param schema the JSON Schema of its parameters
         * @return this
         */
        public Builder tool(String name, Map<String, Object> schema) {
            tools.add(Tool.of(name, schema));
            return this;
        }

        /**
         * Sets the tool choice.
         *
         * @param value the choice
         * @return this
         */
        public Builder toolChoice(ToolChoice value) {
            toolChoice = value;
            return this;
        }

        /**
         * Sets an argument of the chat template.
         *
         * @param name for example {@code enable_thinking}
         * @param value a value as JSON has it
         * @return this
         */
        public Builder chatTemplateArgument(String name, Object value) {
            chatTemplateArguments.put(name, value);
            return this;
        }

        /**
         * Sets the prompt; empty otherwise. Without a tokenizer there are no prompt tokens, and each character counts
         * as one.
         *
         * @param text the rendered prompt, special tokens included
         * @return this
         */
        public Builder prompt(String text) {
            prompt = text;
            return this;
        }

        /**
         * Adds how the tool parser behind opens its calls.
         *
         * @param openers for example those of its provider
         * @return this
         */
        public Builder toolOpeners(List<ToolOpener> openers) {
            toolOpeners.addAll(openers);
            return this;
        }

        /**
         * Sets how many calls the conversation holds already.
         *
         * @param count 0 or more
         * @return this
         */
        public Builder earlierToolCalls(int count) {
            earlierToolCalls = count;
            return this;
        }

        /**
         * Makes the context.
         *
         * @return the context
         */
        public TestContext build() {
            return new TestContext(this);
        }
    }
}
