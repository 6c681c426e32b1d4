package io.glyphgate.proxy.conformance;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.glyphgate.proxy.choice.Choice;
import io.glyphgate.proxy.choice.EngineFinish;
import io.glyphgate.proxy.choice.OutputPlan;
import io.glyphgate.proxy.wire.ParseRequest;
import io.glyphgate.spi.Provider;
import io.glyphgate.spi.Tokenizer;
import io.glyphgate.spi.Tool;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Makes a case of an output and the message that parsers make of it, so that a later change of either is noticed. */
public final class Recording {
    private static final ObjectMapper JSON = new ObjectMapper();

    private Recording() {}

    /**
     * Makes a case.
     *
     * @param name its name
     * @param plan how the output is read; without stop strings
     * @param prompt the text of the prompt
     * @param tokens the output
     * @param finish how the engine ended it
     * @param tokenizer the key of the tokenizer
     * @return a line of JSON for a file that {@link Conformance} plays
     * @throws IllegalArgumentException if another cutting of the tokens gives another message
     */
    public static String line(
            String name, OutputPlan plan, String prompt, int[] tokens, EngineFinish finish, String tokenizer) {
        OutputPlan.Parsers parsers = plan.parsers();
        Provider reasoning = parsers.combined() != null ? parsers.combined() : parsers.reasoning();
        Provider tools = parsers.combined() != null ? parsers.combined() : parsers.tools();
        ObjectNode json = JSON.createObjectNode()
                .put("name", name)
                .put("kind", reasoning == null ? "tools" : tools == null ? "reasoning" : "combo")
                .put("family", family(reasoning, tools))
                .put("reasoning_parser", reasoning == null ? null : reasoning.name())
                .put("tool_parser", tools == null ? null : tools.name())
                .put("tokenizer", tokenizer)
                .put("prompt", prompt)
                .put("stop_terminated", finish.byToken())
                .put("engine_finish_reason", finish.reason());
        json.set("request", request(plan.parse()));
        json.set("prompt_token_ids", JSON.valueToTree(plan.promptTokenIds()));
        json.set("token_ids", JSON.valueToTree(tokens));
        List<String> pieces = pieces(plan, tokens, finish);

        CaseRun run = new CaseRun(new GoldenCase(json), parsers);
        Answer answer = run.play(Objects.requireNonNull(plan.tokenizer(), "the plan has no tokenizer"));
        if (!run.problems().isEmpty()) {
            throw new IllegalArgumentException(String.join("\n", run.problems()));
        }
        json.putObject("detok")
                .put("text", String.join("", pieces))
                .put("kept_tokens", answer.keptTokens())
                .put("finish_reason", finish.reason())
                .set("deltas", JSON.valueToTree(pieces));
        json.put("finish_reason", answer.finishReason());
        ObjectNode message = json.putObject("message")
                .put("reasoning", answer.reasoning())
                .put("content", answer.content());
        ArrayNode calls = message.putArray("tool_calls");
        for (Answer.Call call : answer.calls()) {
            calls.addObject().put("id", call.id()).put("name", call.name()).put("arguments", call.arguments());
        }
        return json.toString();
    }

    private static String family(@Nullable Provider reasoning, @Nullable Provider tools) {
        if (reasoning == null || tools == null || reasoning.name().equals(tools.name())) {
            return reasoning != null ? reasoning.name() : tools != null ? tools.name() : "none";
        }
        return reasoning.name() + "+" + tools.name();
    }

    private static ObjectNode request(ParseRequest parse) {
        ObjectNode request = JSON.createObjectNode();
        ArrayNode tools = request.putArray("tools");
        for (Tool tool : parse.tools()) {
            tools.addObject()
                    .put("type", "function")
                    .putObject("function")
                    .put("name", tool.name())
                    .set("parameters", JSON.valueToTree(tool.parameters()));
        }
        switch (parse.toolChoice().mode()) {
            case AUTO -> request.put("tool_choice", "auto");
            case NONE -> request.put("tool_choice", "none");
            case REQUIRED -> request.put("tool_choice", "required");
            case NAMED -> request.putObject("tool_choice").put("type", "function").putObject("function")
                    .put("name", parse.toolChoice().function());
        }
        request.put("parallel_tool_calls", parse.parallelToolCalls())
                .put("include_reasoning", parse.includeReasoning());
        request.set("chat_template_kwargs", JSON.valueToTree(parse.chatTemplateArguments()));
        return request;
    }

    /** The text of each token, the last of which has none if it ended the output. */
    private static List<String> pieces(OutputPlan plan, int[] tokens, EngineFinish finish) {
        Choice choice = new Choice(plan);
        List<String> pieces = new ArrayList<>();
        for (int i = 0; i < tokens.length; i++) {
            boolean last = i == tokens.length - 1;
            choice.accept(new int[] {tokens[i]}, 1, last ? finish : null);
            pieces.add(choice.step().tokens().text().toString());
        }
        return pieces;
    }
}
