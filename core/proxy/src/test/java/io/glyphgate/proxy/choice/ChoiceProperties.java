package io.glyphgate.proxy.choice;

import static org.assertj.core.api.Assertions.assertThat;

import io.glyphgate.spi.OutputModeProvider.Need;
import io.glyphgate.spi.ToolChoice;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

class ChoiceProperties {
    @Provide
    Arbitrary<List<String>> pieces() {
        return Arbitraries.strings().withChars("ab[]{}:").ofMaxLength(4).list().ofMinSize(1).ofMaxSize(20);
    }

    @Provide
    Arbitrary<List<String>> stops() {
        return Arbitraries.strings().withChars("ab").ofMinLength(1).ofMaxLength(5).list().ofMaxSize(3);
    }

    @Property
    void anyCuttingGivesTheSame(
            @ForAll("pieces") List<String> pieces,
            @ForAll("stops") List<String> stops,
            @ForAll boolean include,
            @ForAll @IntRange(max = 5) int minTokens,
            @ForAll @IntRange(min = 1, max = 7) int chunk,
            @ForAll boolean byToken) {
        int[] ids = IntStream.range(0, pieces.size()).toArray();
        EngineFinish finish = new EngineFinish(byToken ? "stop" : "length", null);
        OutputPlan plan = plan(pieces, new StopStrings(stops, include, minTokens));
        Assembled whole = Assembled.of(plan, ids, ids.length, finish);
        assertThat(Assembled.of(plan, ids, chunk, finish)).hasToString(whole.toString());
        assertThat(whole.lastSteps).isEqualTo(1);
    }

    @Property
    void anyCuttingGivesTheTokensToTheSameField(
            @ForAll("pieces") List<String> pieces,
            @ForAll("stops") List<String> stops,
            @ForAll @IntRange(min = 1, max = 7) int chunk,
            @ForAll boolean byToken) {
        EngineFinish finish = new EngineFinish(byToken ? "stop" : "length", null);
        StopStrings stop = new StopStrings(stops, false, 0);
        assertThat(fields(pieces, stop, chunk, finish)).isEqualTo(fields(pieces, stop, pieces.size(), finish));
    }

    /** How many tokens are reasoning, and which ones reached the tool parser. */
    private static List<Object> fields(List<String> pieces, StopStrings stop, int chunk, EngineFinish finish) {
        MarkerParsers parsers = new MarkerParsers();
        Choice choice = new Choice(plan(pieces, stop, parsers));
        for (int at = 0; !choice.ended(); at += chunk) {
            int end = Math.min(pieces.size(), at + chunk);
            choice.accept(IntStream.range(at, end).toArray(), end - at, end == pieces.size() ? finish : null);
        }
        List<String> toolTokens = parsers.toolTokens.stream()
                .map(token -> token.substring(0, token.indexOf('=')))
                .toList();
        return List.of(choice.reasoningTokenCount(), toolTokens);
    }

    @Property
    void stopStringsAreMatchedAsByLookingAtTheWholeText(
            @ForAll("pieces") List<String> pieces,
            @ForAll("stops") List<String> stops,
            @ForAll boolean include,
            @ForAll @IntRange(max = 5) int minTokens) {
        int[] ids = IntStream.range(0, pieces.size()).toArray();
        Choice choice = new Choice(plan(pieces, new StopStrings(stops, include, minTokens)));
        int kept = choice.accept(ids, ids.length, new EngineFinish("length", null));
        String text = choice.step().tokens().text().toString();

        String soFar = "";
        for (int token = 0; token < pieces.size(); token++) {
            for (int i = 0; i < pieces.get(token).length(); i++) {
                soFar += pieces.get(token).charAt(i);
                for (String stop : stops) {
                    if (token >= minTokens && soFar.endsWith(stop)) {
                        assertThat(choice.stopString()).isEqualTo(stop);
                        assertThat(kept).isEqualTo(token + 1);
                        assertThat(text)
                                .isEqualTo(include ? soFar : soFar.substring(0, soFar.length() - stop.length()));
                        return;
                    }
                }
            }
        }
        assertThat(choice.stopString()).isNull();
        assertThat(text).isEqualTo(soFar);
    }

    @Property
    void holdsBackExactlyWhatMayStillBecomeAStopString(
            @ForAll("pieces") List<String> pieces, @ForAll("stops") List<String> stops) {
        Choice choice = new Choice(plan(pieces, new StopStrings(stops, false, 0)));
        String made = "";
        String given = "";
        for (int token = 0; token < pieces.size() && !choice.ended(); token++) {
            choice.accept(new int[] {token}, 1, null);
            made += pieces.get(token);
            given += choice.step().tokens().text();
            if (!choice.ended()) {
                assertThat(given.length()).isEqualTo(made.length() - longestOpen(made, stops));
            }
        }
    }

    private static int longestOpen(String text, List<String> stops) {
        int longest = 0;
        for (String stop : stops) {
            for (int length = 1; length < stop.length() && length <= text.length(); length++) {
                if (text.endsWith(stop.substring(0, length))) {
                    longest = Math.max(longest, length);
                }
            }
        }
        return longest;
    }

    private static OutputPlan plan(List<String> pieces, StopStrings stop) {
        return plan(pieces, stop, new MarkerParsers());
    }

    private static OutputPlan plan(List<String> pieces, StopStrings stop, MarkerParsers p) {
        return Plans.plan(
                Set.of(Need.TEXT, Need.MESSAGE),
                pieces,
                new OutputPlan.Parsers(null, p.reasoning, p.tools),
                stop,
                false,
                Plans.request(ToolChoice.AUTO, true, true));
    }
}
