package io.glyphgate.proxy.choice;

import io.glyphgate.spi.ParseContext;
import io.glyphgate.spi.Tokenizer;
import io.glyphgate.spi.Tool;
import io.glyphgate.spi.ToolChoice;
import io.glyphgate.spi.ToolOpener;
import io.glyphgate.spi.ToolParserProvider;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What the parsers of a choice see of the plan. */
final class PlannedContext implements ParseContext {
    private final OutputPlan plan;
    private final Tokenizer tokenizer;
    private final @Nullable ToolParserProvider tools;

    /**
     * A context.
     *
     * @param tokenizer the plan's
     * @param tools the tool parser that will run, if one will
     */
    PlannedContext(OutputPlan plan, Tokenizer tokenizer, @Nullable ToolParserProvider tools) {
        this.plan = plan;
        this.tokenizer = tokenizer;
        this.tools = tools;
    }

    @Override
    public String model() {
        return plan.model();
    }

    @Override
    public Optional<Tokenizer> tokenizer() {
        return tokenizer instanceof RecordedText ? Optional.empty() : Optional.of(tokenizer);
    }

    @Override
    public List<Tool> tools() {
        return plan.parse().tools();
    }

    @Override
    public ToolChoice toolChoice() {
        return plan.parse().toolChoice();
    }

    @Override
    public Map<String, Object> chatTemplateArguments() {
        return plan.parse().chatTemplateArguments();
    }

    @Override
    public int[] promptTokenIds() {
        return plan.promptTokenIds();
    }

    @Override
    public String promptTail(int tokens) {
        int[] prompt = plan.promptTokenIds();
        int start = Math.max(0, prompt.length - Math.max(0, tokens));
        return tokenizer.decode(Arrays.copyOfRange(prompt, start, prompt.length), false);
    }

    @Override
    public List<ToolOpener> toolOpeners() {
        return tools == null ? List.of() : tools.openers(this);
    }

    @Override
    public int earlierToolCalls() {
        return plan.parse().earlierToolCalls();
    }
}
