package io.glyphgate.plugin.reasoningparsers;

import static org.assertj.core.api.Assertions.assertThat;

import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.ReasoningParser;
import io.glyphgate.spi.ReasoningParserProvider;
import io.glyphgate.spi.TokenDelta;
import io.glyphgate.spi.ToolOpener;
import io.glyphgate.testkit.Cuts;
import io.glyphgate.testkit.Parsed;
import io.glyphgate.testkit.Recorder;
import io.glyphgate.testkit.TestContext;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class ReasoningProperties {
    private static final TestContext CONTEXT = TestContext.builder()
            .toolOpeners(List.of(new ToolOpener("<tool_call>", List.of("{", "<function="))))
            .build();

    /** A parser with its markers. */
    private record Family(ReasoningParserProvider provider, String open, String close, boolean trimmed) {}

    @Provide
    Arbitrary<Family> families() {
        return Arbitraries.of(
                new Family(new Qwen3(), "<think>", "</think>", false),
                new Family(new DeepSeekR1(), "<think>", "</think>", false),
                new Family(new SeedOss(), "<seed:think>", "</seed:think>", false),
                new Family(new NemotronV3(), "<think>", "</think>", true),
                new Family(new Step3p5(), "<think>", "</think>", true),
                new Family(new MinimaxM2(), "<think>", "</think>", true),
                new Family(new Glm45(), "<think>", "</think>", true),
                new Family(new KimiK2(), "<think>", "</think>", true),
                new Family(new DeepSeekV4(), "<think>", "</think>", true),
                new Family(new Holo2(), "<think>", "</think>", false),
                new Family(new Step3(), "", "</think>", false));
    }

    @Provide
    Arbitrary<String> outputs() {
        return Arbitraries.of(
                        "<think>",
                        "</think>",
                        "<seed:think>",
                        "</seed:think>",
                        "<seed:",
                        "<tool_call>",
                        "{",
                        "<function=",
                        "<",
                        "</",
                        "<th",
                        "</thi",
                        "nk>",
                        "<tool_",
                        "call>",
                        " ",
                        "\n",
                        "word",
                        "🚢",
                        "\ud83d",
                        "\udea2")
                .list()
                .ofMaxSize(20)
                .map(pieces -> String.join("", pieces));
    }

    @Provide
    Arbitrary<String> texts() {
        return Arbitraries.of("word", " ", "\n", "<", ">", "</", "think", "<thin", "</th>", "🚢")
                .list()
                .ofMaxSize(12)
                .map(pieces -> String.join("", pieces))
                .filter(text -> !text.contains("<think>") && !text.contains("</think>"));
    }

    @Property
    void everyCutGivesTheSameAndEveryCharacterIsAccountedFor(
            @ForAll("families") Family family,
            @ForAll("outputs") String output,
            @ForAll List<Byte> cuts) {
        Recorder whole = run(family.provider, List.of(output));
        Recorder cut = run(family.provider, Cuts.pieces(output, cuts));
        assertThat(cut.parsed()).isEqualTo(whole.parsed());
        assertThat(whole.consumed()).isEqualTo(output);
        assertThat(cut.consumed()).isEqualTo(output);
    }

    @Property
    void wellFormedOutputIsTakenApart(
            @ForAll("families") Family family,
            @ForAll("texts") String thought,
            @ForAll("texts") String answer,
            @ForAll boolean opened) {
        String output = (opened ? family.open : "") + thought + family.close + answer;
        assertThat(run(family.provider, List.of(output)).parsed())
                .isEqualTo(new Parsed(family.trimmed ? thought.stripTrailing() : thought, answer, List.of()));
    }

    @Property
    void whiteSpaceAtTheEndIsNoReasoning(
            @ForAll("texts") String thought, @ForAll("texts") String answer, @ForAll List<Byte> cuts) {
        assertThat(run(new KimiK2(), Cuts.pieces(thought + "</think>" + answer, cuts)).parsed())
                .isEqualTo(new Parsed(thought.stripTrailing(), answer, List.of()));
    }

    @Property
    void markersAroundTheAnswerAreDropped(
            @ForAll("texts") String thought,
            @ForAll("texts") String before,
            @ForAll("texts") String answer,
            @ForAll("texts") String behind,
            @ForAll List<Byte> cuts) {
        String output = thought + "</think>" + before + "<response>" + answer + "</response>" + behind;
        Recorder out = run(new Ernie45(), Cuts.pieces(output, cuts));
        assertThat(out.parsed())
                .isEqualTo(new Parsed(
                        thought,
                        (before.isBlank() ? "" : before) + answer + (behind.isBlank() ? "" : behind),
                        List.of()));
        assertThat(out.consumed()).isEqualTo(output);
    }

    @Property
    void reasoningThatIsShownStaysAsItIs(@ForAll("outputs") String output, @ForAll List<Byte> cuts) {
        Recorder out = run(new MinimaxM2AppendThink(), Cuts.pieces(output, cuts));
        assertThat(out.parsed()).isEqualTo(new Parsed("", "<think>" + output, List.of()));
        assertThat(out.consumed()).isEqualTo(output);
    }

    @Property
    void everyCutOfAnAnswerGivesTheSame(@ForAll("outputs") String output, @ForAll List<Byte> cuts) {
        String all = output.replace("<tool_call>", "<response>").replace("call>", "</response>");
        Recorder whole = run(new Ernie45(), List.of(all));
        Recorder cut = run(new Ernie45(), Cuts.pieces(all, cuts));
        assertThat(cut.parsed()).isEqualTo(whole.parsed());
        assertThat(whole.consumed()).isEqualTo(all);
        assertThat(cut.consumed()).isEqualTo(all);
    }

    private static Recorder run(ReasoningParserProvider provider, List<String> pieces) {
        ReasoningParser parser = provider.create(CONTEXT);
        Recorder out = new Recorder();
        pieces.forEach(piece -> parser.accept(TokenDelta.of(piece), out));
        parser.finish(FinishReason.STOP, out);
        return out;
    }
}
