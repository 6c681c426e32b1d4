package io.glyphgate.proxy.openai;

import io.glyphgate.proxy.choice.OutputPlan;
import io.glyphgate.proxy.plugin.PluginFailedException;
import io.glyphgate.proxy.plugin.PluginKind;
import io.glyphgate.proxy.plugin.Registry;
import io.glyphgate.proxy.route.ServedModel;
import io.glyphgate.proxy.tokenize.Prompts;
import io.glyphgate.proxy.wire.CallRules;
import io.glyphgate.proxy.wire.ChatRequest;
import io.glyphgate.proxy.wire.CompletionRequest;
import io.glyphgate.proxy.wire.ModelRules;
import io.glyphgate.proxy.wire.ParseRequest;
import io.glyphgate.spi.CombinedParserProvider;
import io.glyphgate.spi.InvalidRequestException;
import io.glyphgate.spi.ParserProvider;
import io.glyphgate.spi.Tokenizer;
import io.glyphgate.spi.ToolChoice;
import io.glyphgate.spi.ToolParserProvider;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Makes of chats and completions what a server is asked with.
 *
 * @param prompts makes the prompts
 */
record Rendering(Prompts prompts) {
    /**
     * The prompt of a chat.
     *
     * @param text its text
     * @param tokens its tokens, as many as the request wants
     */
    record Prompt(String text, int[] tokens) {}

    /**
     * The prompt of a chat that was checked.
     *
     * @throws InvalidRequestException if it cannot be made
     */
    Prompt chat(ChatRequest request, ServedModel model, Tokenizer tokenizer) {
        String text = prompts.render(request.chat(), model);
        int[] tokens = prompts.encode(text, tokenizer, request.addSpecialTokens());
        return new Prompt(text, request.truncated(tokens, model.maxLength()));
    }

    /**
     * The tokens of one prompt of a completion, as many as the request wants.
     *
     * @throws InvalidRequestException if it cannot be made
     */
    int[] completion(
            CompletionRequest request, CompletionRequest.Prompt prompt, ServedModel model, Tokenizer tokenizer) {
        int[] tokens = switch (prompt) {
            case CompletionRequest.Prompt.Text text -> prompts.encode(text.text(), tokenizer, request.addSpecialTokens());
            case CompletionRequest.Prompt.Tokens given -> given.ids();
        };
        for (int token : tokens) {
            if (token >= model.vocabularySize()) {
                throw new InvalidRequestException(
                        "prompt", "Token ID " + token + " is out of vocabulary: model '" + model.name() + "' has "
                                + model.vocabularySize() + " token IDs.");
            }
        }
        if (tokens.length == 0) {
            throw new InvalidRequestException("prompt", "A prompt cannot be empty.");
        }
        return request.truncated(tokens, model.maxLength());
    }

    /** What the server must hold the model to, so that its calls are what the request demands, and its content too. */
    private static CallRules calls(ChatRequest request, ServedModel model) {
        OutputPlan.Parsers parsers = model.parsers();
        CombinedParserProvider combined = parsers.combined();
        Function<Map<String, Object>, Optional<Map<String, Object>>> frame = combined == null
                ? CallRules.NONE.frame()
                : format -> guarded(PluginKind.PARSER, combined, () -> combined.contentConstraint(format));
        if (!request.offersCalls()) {
            return new CallRules(Optional.empty(), Optional.empty(), false, combined != null, frame);
        }
        checkCalls(request, model);
        ParseRequest asked = request.parseRequest();
        ToolChoice choice = asked.toolChoice();
        Optional<Map<String, Object>> calls = constraint(parsers, asked, choice, asked.parallelToolCalls());
        if (request.demandsCalls()) {
            if (calls.isEmpty()) {
                throw new InvalidRequestException(
                        "tool_choice",
                        "Model '" + model.name() + "' cannot be held to a call, because its parser knows no grammar of calls: set"
                                + " tool_choice to auto.");
            }
            return new CallRules(calls, Optional.empty(), true, combined != null, frame);
        }
        // beside another constraint calls are a choice only where they are constrained for their own sake
        Optional<Map<String, Object>> beside = constraint(parsers, asked, choice, true).isPresent()
                ? constraint(parsers, asked, ToolChoice.REQUIRED, asked.parallelToolCalls())
                : Optional.empty();
        return new CallRules(calls, beside, false, combined != null, frame);
    }

    /**
     * Checks that calls can be told from text where the request offers functions.
     *
     * @throws InvalidRequestException if not
     */
    static void checkCalls(ChatRequest request, ServedModel model) {
        if (request.offersCalls() && model.parsers().tools() == null && model.parsers().combined() == null) {
            throw new InvalidRequestException(
                    "tools",
                    "Calls of model '" + model.name() + "' cannot be told from text, because it has no tool-parser here: leave out"
                            + " tools, or set tool_choice to none.");
        }
    }

    private static Optional<Map<String, Object>> constraint(
            OutputPlan.Parsers parsers, ParseRequest asked, ToolChoice choice, boolean parallel) {
        ToolParserProvider tools = parsers.tools();
        CombinedParserProvider combined = parsers.combined();
        return tools != null
                ? guarded(PluginKind.TOOL_PARSER, tools, () -> tools.constraint(asked.tools(), choice, parallel))
                : combined != null
                        ? guarded(PluginKind.PARSER, combined, () -> combined.constraint(asked.tools(), choice, parallel))
                        : Optional.empty();
    }

    private static <T> T guarded(PluginKind kind, ParserProvider parser, Supplier<T> work) {
        return PluginFailedException.guard(kind, parser.name(), () -> Registry.withLoaderOf(parser, work::get));
    }

    /** What a model says about a chat. */
    static ModelRules rules(ChatRequest request, ServedModel model) {
        return rules(model, calls(request, model));
    }

    /** What a model says about requests without calls. */
    static ModelRules rules(ServedModel model) {
        return rules(model, CallRules.NONE);
    }

    private static ModelRules rules(ServedModel model, CallRules calls) {
        return new ModelRules(
                model.maxLength(),
                model.samplingDefaults(),
                model.templateDefaults(),
                model.parsers().reasoning() != null || model.parsers().combined() != null,
                calls);
    }
}
