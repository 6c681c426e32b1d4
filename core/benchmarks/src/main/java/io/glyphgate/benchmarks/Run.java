package io.glyphgate.benchmarks;

import io.glyphgate.proxy.choice.Anomalies;
import io.glyphgate.proxy.choice.Choice;
import io.glyphgate.proxy.choice.EngineFinish;
import io.glyphgate.proxy.choice.OutputPlan;
import io.glyphgate.proxy.choice.StopStrings;
import io.glyphgate.proxy.plugin.Registry;
import io.glyphgate.proxy.wire.ParseRequest;
import io.glyphgate.spi.ChoiceStep;
import io.glyphgate.spi.CombinedParserProvider;
import io.glyphgate.spi.OutputModeProvider.Need;
import io.glyphgate.spi.ParserProvider;
import io.glyphgate.spi.ReasoningParserProvider;
import io.glyphgate.spi.Tokenizer;
import io.glyphgate.spi.Tool;
import io.glyphgate.spi.ToolChoice;
import io.glyphgate.spi.ToolParserProvider;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One output of a family, and the plan to parse it by: as many tokens as are asked for, one a step, a third of them each for
 * reasoning, content and the string of a call.
 */
final class Run {
    private static final EngineFinish STOP = new EngineFinish("stop", null);
    private static final Tool WRITE = Tool.of(
            "write",
            Map.of(
                    "type", "object",
                    "properties", Map.of("text", Map.of("type", "string")),
                    "required", List.of("text"),
                    "additionalProperties", false));

    private final OutputPlan plan;
    private final int[] tokenIds;
    private final int[] one = new int[1];

    private Run(OutputPlan plan, int[] tokenIds) {
        this.plan = plan;
        this.tokenIds = tokenIds;
    }

    /**
     * A message made of a family's output.
     *
     * @throws IllegalArgumentException if the family's markers alone are more tokens
     */
    static Run message(Family family, int tokens, Tokenizer tokenizer, Registry parsers) {
        ParseRequest request = new ParseRequest(List.of(WRITE), ToolChoice.AUTO, true, true, family.template(), 0);
        OutputPlan.Parsers chosen = new OutputPlan.Parsers(
                find(parsers, CombinedParserProvider.class, family.combined()),
                find(parsers, ReasoningParserProvider.class, family.reasoning()),
                find(parsers, ToolParserProvider.class, family.tools()));
        return new Run(plan(Need.MESSAGE, chosen, tokenizer, request), Output.of(family, tokens, tokenizer));
    }

    /** Text made of the same output, without parsers. */
    static Run text(Family family, int tokens, Tokenizer tokenizer) {
        return new Run(
                plan(Need.TEXT, OutputPlan.Parsers.NONE, tokenizer, ParseRequest.DEFAULT), Output.of(family, tokens, tokenizer));
    }

    private static OutputPlan plan(Need need, OutputPlan.Parsers parsers, Tokenizer tokenizer, ParseRequest request) {
        return new OutputPlan(
                "m", Set.of(need), tokenizer, parsers, new int[0], true, true, StopStrings.NONE, false, request);
    }

    private static <P extends ParserProvider> @Nullable P find(Registry registry, Class<P> kind, Optional<String> name) {
        return name.isEmpty() ? null : registry.find(kind, name.get()).orElseThrow();
    }

    /** Takes what each step gives. */
    interface Steps {
        /** Takes a step; it is valid only during the call. */
        void step(ChoiceStep step);
    }

    /** Plays the whole output, token by token. */
    void play(Anomalies anomalies, Steps steps) {
        Choice choice = new Choice(plan, anomalies);
        int last = tokenIds.length - 1;
        for (int i = 0; i <= last; i++) {
            one[0] = tokenIds[i];
            choice.accept(one, 1, i == last ? STOP : null);
            steps.step(choice.step());
        }
    }
}
