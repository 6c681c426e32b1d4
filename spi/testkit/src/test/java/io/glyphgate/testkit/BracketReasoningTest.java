package io.glyphgate.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.ParseContext;
import io.glyphgate.spi.ReasoningParser;
import io.glyphgate.spi.ReasoningParserProvider;
import io.glyphgate.testkit.BracketReasoning.Fault;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;

/** The contract accepts a sound parser, and finds each fault by the law that is about it. */
class BracketReasoningTest extends ReasoningParserContract {
    private static final List<Example> EXAMPLES = List.of(
            Example.of("one ] two]]three").reasoning("one ] two").content("three"),
            Example.of("]]]").content("]"),
            Example.of("never ends ]").reasoning("never ends ]").endedBy(FinishReason.LENGTH));

    @Override
    protected ReasoningParserProvider provider() {
        return new BracketReasoning();
    }

    @Override
    protected List<Example> examples() {
        return EXAMPLES;
    }

    /** The contract over any provider. */
    private static final class Contract extends ReasoningParserContract {
        private final ReasoningParserProvider provider;

        private Contract(ReasoningParserProvider provider) {
            this.provider = provider;
        }

        @Override
        protected ReasoningParserProvider provider() {
            return provider;
        }

        @Override
        protected List<Example> examples() {
            return EXAMPLES;
        }
    }

    private static void finds(Fault fault, Function<ChoiceParserContract, Stream<DynamicTest>> law, String message) {
        List<DynamicTest> tests =
                law.apply(new Contract(new BracketReasoning(fault))).toList();
        assertThat(tests).hasSize(3);
        assertThatThrownBy(() -> {
                    for (DynamicTest test : tests) {
                        test.getExecutable().execute();
                    }
                })
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining(message);
    }

    @Test
    void findsTextThatIsLost() {
        finds(
                Fault.LOSES_WHAT_IT_HELD,
                ChoiceParserContract::givesWhatTheExampleExpects,
                "at the end <]> was told neither as reasoning nor as content nor as structure");
        finds(
                Fault.DROPS_ITS_MARKER,
                ChoiceParserContract::givesWhatTheExampleExpects,
                "<three> was told, but the input goes on with <]]three>");
        finds(Fault.LOSES_WHAT_IT_HELD, ChoiceParserContract::survivesBeingCutShortAnywhere, "at the end <]> was told");
    }

    @Test
    void findsADependenceOnCuts() {
        finds(
                Fault.LOOKS_AT_ONE_DELTA_ONLY,
                ChoiceParserContract::givesTheSameForEveryCut,
                "depends on how the output is cut");
    }

    @Test
    void findsAThrowingParser() {
        finds(
                Fault.THROWS_AT_A_LONE_SURROGATE,
                ChoiceParserContract::keepsSurrogatePairsThatAreCut,
                "No input may make a parser throw");
    }

    @Test
    void findsFaultsInGarbledOutput() {
        for (Fault fault : List.of(Fault.LOSES_WHAT_IT_HELD, Fault.LOOKS_AT_ONE_DELTA_ONLY, Fault.SHARES_ITS_TEXT)) {
            assertThatThrownBy(new Contract(new BracketReasoning(fault))::keepsTheLawsOnGarbledOutput)
                    .isInstanceOf(AssertionError.class)
                    .hasMessageMatching("the round of seed \\d+ failed; -Dglyphgate.fuzz.seed=\\d+ runs it alone");
        }
    }

    @Test
    void findsTextThatIsHeldForNothing() {
        finds(Fault.HOLDS_EVERYTHING, ChoiceParserContract::holdsBackNoMoreThanAMarker, "characters held back after");
    }

    @Test
    void findsWorkThatGrows() {
        finds(
                Fault.COPIES_EVERYTHING,
                ChoiceParserContract::costsTheSameAtEveryLength,
                "bytes allocated for the second half");
    }

    @Test
    void findsSharedState() {
        finds(Fault.SHARES_ITS_TEXT, ChoiceParserContract::sharesNothingBetweenChoices, "in turn with it");
    }

    @Test
    void findsWhatThisKindOfParserMustNotGive() {
        finds(Fault.CALLS_TOOLS, ChoiceParserContract::givesWhatTheExampleExpects, "leaves to the tool parser");
    }

    @Test
    void findsAWrongAnswer() {
        finds(
                Fault.GIVES_AT_AN_EMPTY_END,
                ChoiceParserContract::mayEndBeforeItBegins,
                "was told, but the input goes on with <>");
    }

    @Test
    void findsAProviderThatNobodyFinds() {
        ReasoningParserProvider hidden = new ReasoningParserProvider() {
            private final BracketReasoning real = new BracketReasoning();

            @Override
            public String name() {
                return "Hidden One";
            }

            @Override
            public Set<String> markers() {
                return real.markers();
            }

            @Override
            public ReasoningParser create(ParseContext context) {
                return real.create(context);
            }
        };
        Contract contract = new Contract(hidden);
        assertThatThrownBy(contract::isFoundByTheServiceLoader).hasMessageContaining("META-INF/services");
        assertThatThrownBy(contract::hasWellFormedNames).hasMessageContaining("the provider's name");
    }
}
