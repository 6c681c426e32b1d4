package io.glyphgate.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.glyphgate.spi.ChoiceParser;
import io.glyphgate.spi.DeltaSink;
import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.TokenDelta;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ParserLawsTest {
    /** A parser that makes the arguments of a call of each delta, as often as it has characters. */
    private static final class Growing implements ChoiceParser {
        @Override
        public void accept(TokenDelta delta, DeltaSink out) {
            out.toolCall("f", null);
            for (int i = 0; i < delta.text().length(); i++) {
                out.toolArguments(delta.text());
            }
            out.structure(delta.text());
        }

        @Override
        public void finish(FinishReason reason, DeltaSink out) {}
    }

    @Test
    void callsMayNotOutgrowTheOutput() {
        assertThat(ParserLaws.run(new Growing(), List.of("ab"), FinishReason.STOP).parsed().calls())
                .containsExactly(new Parsed.Call("f", null, "abab"));
        assertThatThrownBy(() -> ParserLaws.run(new Growing(), List.of("a".repeat(100)), FinishReason.STOP))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("characters were made of 100 characters of output");
    }

    /** A parser that shows each delta in the middle of a call. */
    private record Interrupting(boolean reasoning) implements ChoiceParser {
        @Override
        public void accept(TokenDelta delta, DeltaSink out) {
            out.toolCall("f", null);
            out.toolArguments("{");
            if (reasoning) {
                out.reasoning(delta.text());
            } else {
                out.content(delta.text());
            }
            out.toolArguments("}");
        }

        @Override
        public void finish(FinishReason reason, DeltaSink out) {}
    }

    @Test
    void nothingShownMayComeBetweenTheArgumentsOfACall() {
        for (boolean reasoning : new boolean[] {false, true}) {
            assertThatThrownBy(() -> ParserLaws.run(new Interrupting(reasoning), List.of("a"), FinishReason.STOP))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageStartingWith("the arguments <}> come behind text that was shown since the call was opened");
            assertThat(ParserLaws.run(new Interrupting(reasoning), List.of(""), FinishReason.STOP).parsed().calls())
                    .containsExactly(new Parsed.Call("f", null, "{}"));
        }
    }

    @Test
    void whatDependsOnTheCutIsFoundInEachField() {
        assertThatThrownBy(() -> ParserLaws.check(Growing::new, "abc", FinishReason.STOP, 0))
                .hasMessageStartingWith("The result depends on how the output is cut.");
    }

    @Test
    void shrinksToWhatMatters() {
        assertThat(ParserLaws.shrink("some <tool_call> in {words}", text -> text.contains("<") && text.contains("}")))
                .isEqualTo("<}");
        assertThat(ParserLaws.shrink(List.of(5, 1, 4, 1, 3), tokens -> tokens.lastIndexOf(1) > tokens.indexOf(1)))
                .containsExactly(1, 1);
    }

    @Test
    void roundsHaveSeedsThatRepeatThem() {
        List<Long> seeds = new ArrayList<>();
        FuzzRounds.run(3, seeds::add);
        assertThat(seeds).containsExactly(0L, 1L, 2L);
        assertThatThrownBy(() -> FuzzRounds.run(9, seed -> assertThat(seed).isLessThan(7)))
                .hasMessage("the round of seed 7 failed; -Dglyphgate.fuzz.seed=7 runs it alone");
    }

    @Test
    void garblesTheSameForTheSameSeed() {
        GarbledOutputs outputs = new GarbledOutputs(List.of("<call>f(1)</call> and words"), Set.of("<call>", "</call>"));
        Set<String> all = new HashSet<>();
        for (int seed = 0; seed < 200; seed++) {
            String output = outputs.next(new Random(seed));
            assertThat(outputs.next(new Random(seed))).isEqualTo(output);
            all.add(output);
        }
        assertThat(all).hasSizeGreaterThan(150).anyMatch(output -> output.contains("<call>"));
    }
}
