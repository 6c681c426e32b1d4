package io.glyphgate.proxy.choice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.glyphgate.proxy.plugin.PluginFailedException;
import io.glyphgate.proxy.plugin.PluginKind;
import io.glyphgate.proxy.wire.ParseRequest;
import io.glyphgate.spi.ChoiceStep;
import io.glyphgate.spi.OutputModeProvider.Need;
import io.glyphgate.spi.ToolChoice;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ChoiceTest {
    private static final EngineFinish LENGTH = new EngineFinish("length", null);
    private static final EngineFinish EOS = new EngineFinish("stop", null);

    private static int[] ids(List<String> pieces) {
        return IntStream.range(0, pieces.size()).toArray();
    }

    private static StopStrings stop(String... strings) {
        return new StopStrings(List.of(strings), false, 0);
    }

    /** The text of each step when the tokens come one by one. */
    private static List<String> stepTexts(OutputPlan plan, List<String> pieces) {
        Choice choice = new Choice(plan);
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < pieces.size() && !choice.ended(); i++) {
            choice.accept(new int[] {i}, 1, i == pieces.size() - 1 ? LENGTH : null);
            texts.add(choice.step().tokens().text().toString());
        }
        return texts;
    }

    private static MarkerParsers parsers() {
        return new MarkerParsers();
    }

    private static OutputPlan.Parsers pair(MarkerParsers p) {
        return new OutputPlan.Parsers(null, p.reasoning, p.tools);
    }

    @Test
    void givesTextAndTokensAtOnceWhereNothingIsHeldBack() {
        List<String> pieces = List.of("a", "", "bc");
        Choice choice = new Choice(Plans.text(pieces, StopStrings.NONE));
        assertThat(choice.accept(new int[] {7, 8, 9}, 3, null)).isEqualTo(3);
        ChoiceStep step = choice.step();
        assertThat(step.first()).isTrue();
        assertThat(step.last()).isFalse();
        assertThat(step.finishReason()).isEmpty();
        assertThat(step.tokens().text()).asString().isEqualTo("abc");
        assertThat(IntStream.range(0, 3).map(step.tokens()::tokenId)).containsExactly(7, 8, 9);
        assertThat(IntStream.range(0, 3).map(step.tokens()::textEnd)).containsExactly(1, 1, 3);
        assertThat(choice.tokenCount()).isEqualTo(3);
    }

    @Test
    void aStepHoldsAllSinceTheStepBefore() {
        Choice choice = new Choice(Plans.text(List.of("a", "b", "c"), StopStrings.NONE));
        choice.accept(new int[] {0}, 1, null);
        choice.accept(new int[] {1}, 1, null);
        assertThat(choice.step().tokens().text()).asString().isEqualTo("ab");
        assertThat(choice.step().tokens().text()).asString().isEmpty();
        choice.accept(new int[] {2}, 1, LENGTH);
        ChoiceStep step = choice.step();
        assertThat(step.first()).isFalse();
        assertThat(step.last()).isTrue();
        assertThat(step.finishReason()).isEqualTo("length");
        assertThat(step.tokens().text()).asString().isEqualTo("c");
        assertThat(choice.step().last()).isFalse();
    }

    @Test
    void holdsBackOnlyWhatMayBecomeAStopString() {
        List<String> pieces = List.of("one", " t", "w", "x", " tw");
        assertThat(stepTexts(Plans.text(pieces, stop(" two")), pieces)).containsExactly("one", "", "", " twx", " tw");
    }

    @Test
    void tokensComeAtOnceWhileTheirTextIsHeldBack() {
        Choice choice = new Choice(Plans.text(List.of("ab", "c", "d"), stop("bcx")));
        choice.accept(new int[] {0, 1}, 2, null);
        ChoiceStep step = choice.step();
        assertThat(step.tokens().text()).asString().isEqualTo("a");
        assertThat(step.tokens().tokenCount()).isEqualTo(2);
        assertThat(step.tokens().textEnd(0)).isEqualTo(1);
        assertThat(step.tokens().textEnd(1)).isEqualTo(1);
        choice.accept(new int[] {2}, 1, null);
        assertThat(choice.step().tokens().text()).asString().isEqualTo("bcd");
        assertThat(choice.step().tokens().tokenCount()).isZero();
    }

    @Test
    void cutsBeforeAStopStringAndKeepsTheTokenThatCompletesIt() {
        List<String> pieces = List.of("one", " two", " three", " four");
        Choice choice = new Choice(Plans.text(pieces, stop("o thr")));
        assertThat(choice.accept(ids(pieces), 4, null)).isEqualTo(3);
        assertThat(choice.ended()).isTrue();
        assertThat(choice.stopString()).isEqualTo("o thr");
        assertThat(choice.tokenCount()).isEqualTo(3);
        ChoiceStep step = choice.step();
        assertThat(step.tokens().text()).asString().isEqualTo("one tw");
        assertThat(IntStream.range(0, 3).map(step.tokens()::textEnd)).containsExactly(3, 6, 6);
        assertThat(step.finishReason()).isEqualTo("stop");
        assertThat(choice.accept(ids(pieces), 4, null)).isZero();
    }

    @Test
    void noStopStringIsFoundInAMarkerThatTheRequestHides() {
        List<String> pieces = List.of("[", "a]", "]", "b", "x]");
        OutputPlan.Parsers combined = new OutputPlan.Parsers(parsers().combined, null, null);
        for (String string : List.of("[", "[a", "]b")) {
            OutputPlan plan =
                    Plans.plan(Set.of(Need.MESSAGE), pieces, combined, stop(string), false, ParseRequest.DEFAULT);
            Choice choice = new Choice(plan);
            assertThat(choice.accept(ids(pieces), pieces.size(), LENGTH)).isEqualTo(pieces.size());
            assertThat(choice.stopString()).isNull();
        }
        Choice choice = new Choice(
                Plans.plan(Set.of(Need.MESSAGE), pieces, combined, stop("x]"), false, ParseRequest.DEFAULT));
        choice.accept(ids(pieces), pieces.size(), LENGTH);
        assertThat(choice.stopString()).isEqualTo("x]");
    }

    @Test
    void aStopStringIsFoundInAMarkerThatTheServerShows() {
        List<String> pieces = List.of("[", "a", "]", "b");
        Choice choice = new Choice(Plans.plan(
                Set.of(Need.MESSAGE), pieces, pair(parsers()), stop("]b"), false, ParseRequest.DEFAULT));
        choice.accept(ids(pieces), pieces.size(), LENGTH);
        assertThat(choice.stopString()).isEqualTo("]b");
    }

    @Test
    void cutsBehindAStopStringThatIsIncludedAndHoldsNothingBack() {
        List<String> pieces = List.of("one", " two", " three");
        OutputPlan plan = Plans.text(pieces, new StopStrings(List.of("o thr"), true, 0));
        assertThat(stepTexts(plan, pieces)).containsExactly("one", " two", " thr");
    }

    @Test
    void theMatchThatIsCompleteFirstWins() {
        List<String> pieces = List.of("one two three");
        for (List<String> strings : List.of(List.of("two three", "two"), List.of("three", "two", "e"))) {
            Choice choice = new Choice(Plans.text(pieces, new StopStrings(strings, false, 0)));
            choice.accept(new int[] {0}, 1, null);
            assertThat(choice.stopString()).isEqualTo(strings.get(strings.size() - 1));
        }
    }

    @Test
    void ofMatchesThatEndTogetherTheFirstOfTheListWins() {
        for (List<String> strings : List.of(List.of("wo", "two"), List.of("two", "wo"))) {
            Choice choice = new Choice(Plans.text(List.of("one two"), new StopStrings(strings, false, 0)));
            choice.accept(new int[] {0}, 1, null);
            assertThat(choice.stopString()).isEqualTo(strings.get(0));
        }
    }

    @Test
    void noMatchIsCompletedByTheFirstTokens() {
        List<String> pieces = List.of("stop", " one", " stop", " two", " stop", " x");
        Choice choice = new Choice(Plans.text(pieces, new StopStrings(List.of("stop"), false, 4)));
        assertThat(choice.accept(ids(pieces), 6, null)).isEqualTo(5);
        assertThat(choice.step().tokens().text()).asString().isEqualTo("stop one stop two ");
    }

    @Test
    void aMatchMayBeginInTheTextOfTheFirstTokens() {
        List<String> pieces = List.of("one", " two");
        Choice choice = new Choice(Plans.text(pieces, new StopStrings(List.of("e t"), false, 1)));
        choice.accept(ids(pieces), 2, null);
        assertThat(choice.step().tokens().text()).asString().isEqualTo("on");
    }

    @Test
    void aStopStringInTheLastTokensWinsOverTheEnginesReason() {
        Choice choice = new Choice(Plans.text(List.of("one two"), stop("two")));
        choice.accept(new int[] {0}, 1, LENGTH);
        assertThat(choice.stopString()).isEqualTo("two");
        assertThat(choice.step().finishReason()).isEqualTo("stop");
    }

    @Test
    void theStopTokenHasNoText() {
        for (EngineFinish finish : List.of(EOS, new EngineFinish("stop", 5))) {
            Choice choice = new Choice(Plans.text(List.of("a", "END"), StopStrings.NONE));
            assertThat(choice.accept(new int[] {4, 5}, 2, finish)).isEqualTo(2);
            assertThat(choice.step().tokens().text()).asString().isEqualTo("a");
            assertThat(choice.tokenCount()).isEqualTo(2);
        }
    }

    @Test
    void theStopTokenHasTextWhereItIsIncluded() {
        OutputPlan plan = Plans.plan(
                Set.of(Need.TEXT),
                List.of("a", "END"),
                OutputPlan.Parsers.NONE,
                StopStrings.NONE,
                true,
                ParseRequest.DEFAULT);
        Choice choice = new Choice(plan);
        choice.accept(new int[] {4, 5}, 2, EOS);
        assertThat(choice.step().tokens().text()).asString().isEqualTo("aEND");
    }

    @Test
    void theLastTokenHasTextWhereAStopStringOrTheLengthEndedTheChoice() {
        for (EngineFinish finish : List.of(LENGTH, new EngineFinish("stop", "END"))) {
            Choice choice = new Choice(Plans.text(List.of("a", "b"), StopStrings.NONE));
            choice.accept(new int[] {4, 5}, 2, finish);
            assertThat(choice.step().tokens().text()).asString().isEqualTo("ab");
        }
    }

    @Test
    void anAbortGivesOutWhatIsHeldBack() {
        Choice choice = new Choice(Plans.text(List.of("one t"), stop(" two")));
        choice.accept(new int[] {0}, 1, null);
        assertThat(choice.step().tokens().text()).asString().isEqualTo("one");
        choice.abort("abort");
        ChoiceStep step = choice.step();
        assertThat(step.tokens().text()).asString().isEqualTo(" t");
        assertThat(step.last()).isTrue();
        assertThat(step.finishReason()).isEqualTo("abort");
        choice.abort("error");
        assertThat(choice.step().last()).isFalse();
    }

    @Test
    void needsNoTokenizerForTokens() {
        OutputPlan plan = new OutputPlan(
                "m",
                Set.of(),
                null,
                OutputPlan.Parsers.NONE,
                new int[0],
                true,
                true,
                StopStrings.NONE,
                false,
                ParseRequest.DEFAULT);
        Choice choice = new Choice(plan);
        choice.accept(new int[] {3, 4}, 2, EOS);
        assertThat(choice.step().tokens().tokenCount()).isEqualTo(2);
        assertThat(choice.step().tokens().text()).asString().isEmpty();
    }

    @Test
    void matchesStopStringsForAModeThatNeedsNoText() {
        OutputPlan plan = Plans.plan(
                Set.of(), List.of("ab", "c", "d"), OutputPlan.Parsers.NONE, stop("bc"), false, ParseRequest.DEFAULT);
        Choice choice = new Choice(plan);
        assertThat(choice.accept(new int[] {0, 1, 2}, 3, null)).isEqualTo(2);
        assertThat(choice.stopString()).isEqualTo("bc");
        assertThat(choice.step().tokens().text()).asString().isEmpty();
        assertThat(choice.step().message().content()).asString().isEmpty();
    }

    @Test
    void refusesToMakeTextWithoutATokenizer() {
        OutputPlan plan = new OutputPlan(
                "m",
                Set.of(Need.TEXT),
                null,
                OutputPlan.Parsers.NONE,
                new int[0],
                true,
                true,
                StopStrings.NONE,
                false,
                ParseRequest.DEFAULT);
        assertThatThrownBy(() -> new Choice(plan))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'m' has no tokenizer");
    }

    @Test
    void allTextIsContentWithoutParsers() {
        List<String> pieces = List.of("[a", "]");
        OutputPlan plan = Plans.message(pieces, OutputPlan.Parsers.NONE, ParseRequest.DEFAULT);
        Assembled all = Assembled.of(plan, ids(pieces), 1, LENGTH);
        assertThat(all.content).asString().isEqualTo("[a]");
        assertThat(all.text).asString().isEmpty();
    }

    @Test
    void reasoningIsSplitFromContentAndCalls() {
        MarkerParsers p = parsers();
        List<String> pieces = List.of("[", "why", "]", "so", "{weather", ":1", "2}", ".", "");
        Choice choice = new Choice(Plans.message(pieces, pair(p), Plans.request(ToolChoice.AUTO, true, true)));
        choice.accept(ids(pieces), pieces.size(), EOS);
        Assembled all = new Assembled();
        all.add(choice.step());
        assertThat(all.reasoning).asString().isEqualTo("why");
        assertThat(all.content).asString().isEqualTo("so.");
        assertThat(all.names).containsExactly("weather");
        assertThat(all.arguments.get(0)).asString().isEqualTo("12");
        assertThat(all.ids.get(0)).matches("chatcmpl-tool-[0-9a-f]{32}");
        assertThat(choice.step().message().waitsForToolResults()).isTrue();
        assertThat(choice.reasoningTokenCount()).isEqualTo(1);
    }

    @Test
    void aParserMayFixTheFormOfNewIds() {
        MarkerParsers p = parsers();
        p.newCallId = "a1B2c3D4e";
        List<String> pieces = List.of("{weather:1}", "{its/own:2}");
        OutputPlan plan = Plans.message(
                pieces, new OutputPlan.Parsers(null, null, p.tools), Plans.request(ToolChoice.AUTO, true, true));
        assertThat(Assembled.of(plan, ids(pieces), 1, LENGTH).ids).containsExactly("a1B2c3D4e", "its/own");
    }

    @Test
    void theSecondParserGetsTheContentWithItsTokens() {
        MarkerParsers p = parsers();
        // Token 3 holds the end of the reasoning and the start of the content; tokens 2 and 5 have no text of their
        // own.
        List<String> pieces = List.of("[", "w", "", "y]a", "b", "", "cd", "[", "no", "]", "e");
        Choice choice = new Choice(Plans.message(pieces, pair(p), Plans.request(ToolChoice.AUTO, true, true)));
        choice.accept(ids(pieces), pieces.size(), LENGTH);
        assertThat(p.toolTokens).containsExactly("3=a", "4=b", "5=", "6=cd", "10=e");
        assertThat(choice.reasoningTokenCount()).isEqualTo(3);
    }

    @Test
    void parsersGetATokenOnceItsTextIsReleased() {
        MarkerParsers p = parsers();
        List<String> pieces = List.of("ab", "c", "d");
        OutputPlan plan = Plans.plan(
                Set.of(Need.MESSAGE),
                pieces,
                new OutputPlan.Parsers(null, p.reasoning, null),
                stop("bcx"),
                false,
                ParseRequest.DEFAULT);
        Choice choice = new Choice(plan);
        choice.accept(new int[] {0, 1}, 2, null);
        assertThat(p.reasoningTokens).isEmpty();
        assertThat(choice.step().message().content()).asString().isEqualTo("a");
        choice.accept(new int[] {2}, 1, null);
        assertThat(p.reasoningTokens).containsExactly("0=b", "1=c", "2=d");
    }

    @Test
    void theStopTokenIsNotReasoningButOtherTokensWithoutTextAre() {
        for (boolean byToken : new boolean[] {true, false}) {
            List<String> pieces = List.of("[", "a", "", "");
            MarkerParsers p = parsers();
            OutputPlan.Parsers reasoning = new OutputPlan.Parsers(null, p.reasoning, null);
            Choice choice = new Choice(Plans.message(pieces, reasoning, ParseRequest.DEFAULT));
            choice.accept(ids(pieces), 4, byToken ? EOS : LENGTH);
            assertThat(choice.reasoningTokenCount()).isEqualTo(byToken ? 2 : 3);
        }
    }

    @Test
    void aCombinedParserDoesAll() {
        List<String> pieces = List.of("[why]", "so{weather:1}");
        MarkerParsers p = parsers();
        OutputPlan plan = Plans.message(
                pieces, new OutputPlan.Parsers(p.combined, null, null), Plans.request(ToolChoice.AUTO, true, true));
        assertThat(Assembled.of(plan, ids(pieces), 1, LENGTH))
                .hasToString("text= tokens=[0, 1] reasoning=why content=so calls=[weather][1]"
                        + " finish=length lastSteps=1");
    }

    @Test
    void aCombinedParsersCallsAreDroppedWhereTheyAreNotWanted() {
        List<String> pieces = List.of("so{weather:1}");
        MarkerParsers p = parsers();
        OutputPlan plan = Plans.message(
                pieces, new OutputPlan.Parsers(p.combined, null, null), Plans.request(ToolChoice.NONE, true, true));
        Choice choice = new Choice(plan);
        choice.accept(ids(pieces), 1, LENGTH);
        assertThat(choice.step().message().toolCalls()).isEmpty();
        assertThat(choice.step().message().waitsForToolResults()).isFalse();
    }

    @Test
    void theToolParserDoesNotRunWhereCallsAreNotWanted() {
        for (ParseRequest request : List.of(ParseRequest.DEFAULT, Plans.request(ToolChoice.NONE, true, true))) {
            MarkerParsers p = parsers();
            List<String> pieces = List.of("[a]{weather:1}");
            Assembled all = Assembled.of(Plans.message(pieces, pair(p), request), ids(pieces), 1, LENGTH);
            assertThat(all.content).asString().isEqualTo("{weather:1}");
            assertThat(p.contexts.get(0).toolOpeners()).isEmpty();
        }
        MarkerParsers p = parsers();
        new Choice(Plans.message(List.of(), pair(p), Plans.request(ToolChoice.AUTO, true, true)));
        assertThat(p.contexts.get(0).toolOpeners()).hasSize(1);
    }

    @Test
    void theCallersWishesAreApplied() {
        List<String> pieces = List.of("[a]{f:1}", "{g:2}");
        Assembled one = Assembled.of(
                Plans.message(pieces, pair(parsers()), Plans.request(ToolChoice.AUTO, false, false)),
                ids(pieces),
                1,
                LENGTH);
        assertThat(one).hasToString("text= tokens=[0, 1] reasoning= content= calls=[f][1] finish=length lastSteps=1");
        Choice named =
                new Choice(Plans.message(pieces, pair(parsers()), Plans.request(ToolChoice.named("f"), true, true)));
        named.accept(ids(pieces), 2, EOS);
        assertThat(named.step().message().waitsForToolResults()).isFalse();
    }

    @Test
    void aCallKeepsTheIdThatTheModelWrote() {
        List<String> pieces = List.of("{functions/f:0", "1}");
        OutputPlan plan = Plans.message(pieces, pair(parsers()), Plans.request(ToolChoice.AUTO, true, true));
        Assembled all = Assembled.of(plan, ids(pieces), 1, LENGTH);
        assertThat(all.ids).containsExactly("functions/f");
    }

    @Test
    void aParserThatThrowsEndsItsChoice() {
        for (String pieceOfReasoning : List.of("#", "[a]#")) {
            MarkerParsers p = parsers();
            Choice choice = new Choice(Plans.message(
                    List.of("ok", pieceOfReasoning), pair(p), Plans.request(ToolChoice.AUTO, true, true)));
            choice.accept(new int[] {0}, 1, null);
            assertThatThrownBy(() -> choice.accept(new int[] {1}, 1, null))
                    .isInstanceOfSatisfying(PluginFailedException.class, e -> {
                        assertThat(e.kind()).isEqualTo(PluginKind.REASONING_PARSER);
                        assertThat(e.plugin()).isEqualTo("brackets");
                        assertThat(e).hasMessageContaining("brackets").hasMessageContaining("number sign");
                    });
            assertThat(choice.ended()).isTrue();
            ChoiceStep step = choice.step();
            assertThat(step.message().content()).asString().startsWith("ok");
            assertThat(step.finishReason()).isEqualTo("error");
        }
    }

    @Test
    void anomaliesAreTold() {
        MarkerParsers p = parsers();
        Anomalies anomalies = new Anomalies();
        Choice choice = new Choice(
                Plans.message(List.of("a!"), new OutputPlan.Parsers(null, p.reasoning, null), ParseRequest.DEFAULT), anomalies);
        choice.accept(new int[] {0}, 1, null);
        assertThat(anomalies.found())
                .containsExactly(new Anomaly(PluginKind.REASONING_PARSER, "brackets", "exclamation"));
    }

    /** A few bytes per token would be several hundred kilobytes here. */
    @Test
    void allocatesNothingPerTokenInSteadyState() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        int tokens = 200_000;
        Choice choice = new Choice(Plans.text(Collections.nCopies(tokens, "ab"), stop("bab!", "abax")));
        int[] one = {1};
        long seen = 0;
        long before = 0;
        for (int i = 0; i < tokens; i++) {
            if (i == tokens / 2) {
                before = threads.getCurrentThreadAllocatedBytes();
            }
            choice.accept(one, 1, null);
            seen += choice.step().tokens().text().length();
        }
        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(20_000);
        assertThat(seen).isGreaterThan(2L * tokens - 10);
    }
}
