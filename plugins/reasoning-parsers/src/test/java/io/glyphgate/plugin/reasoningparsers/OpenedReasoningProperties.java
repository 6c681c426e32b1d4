package io.glyphgate.plugin.reasoningparsers;

import static org.assertj.core.api.Assertions.assertThat;

import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.ReasoningParser;
import io.glyphgate.spi.ReasoningParserProvider;
import io.glyphgate.spi.TokenDelta;
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

class OpenedReasoningProperties {
    private record Format(ReasoningParserProvider provider, String open, String close) {}

    @Provide
    Arbitrary<Format> formats() {
        return Arbitraries.of(
                new Format(new Granite(), "Here is my thought process:", "Here's my response:"),
                new Format(new HunyuanA13b(), "<think>\n", "\n</think>\n<answer>\n"),
                new Format(new Gemma4(), "<|channel>thought\n", "<channel|>"),
                new Format(new Mistral(), "[THINK]", "[/THINK]"));
    }

    @Provide
    Arbitrary<String> outputs() {
        return Arbitraries.of(
                        "Here is my ",
                        "Here's my ",
                        "thought process:",
                        "response:",
                        "<think>\n",
                        "\n</think>\n",
                        "<answer>\n",
                        "\n</answer>",
                        "<|channel>",
                        "<channel|>",
                        "[THINK]",
                        "[/THINK]",
                        "[/TH",
                        "thought\n",
                        "thou",
                        "<",
                        "<turn|>",
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
        return Arbitraries.of("word", " x", "\ny", "<", ">", "Here", "</th>", "🚢")
                .list()
                .ofMaxSize(12)
                .map(pieces -> String.join("", pieces));
    }

    @Property
    void everyCutGivesTheSameAndEveryCharacterIsAccountedFor(
            @ForAll("formats") Format format,
            @ForAll("outputs") String output,
            @ForAll boolean opened,
            @ForAll List<Byte> cuts) {
        String all = (opened ? format.open : "") + output;
        Recorder whole = run(format.provider, List.of(all));
        Recorder cut = run(format.provider, Cuts.pieces(all, cuts));
        assertThat(cut.parsed()).isEqualTo(whole.parsed());
        assertThat(whole.consumed()).isEqualTo(all);
        assertThat(cut.consumed()).isEqualTo(all);
    }

    @Property
    void wellFormedOutputIsTakenApart(
            @ForAll("formats") Format format,
            @ForAll("texts") String thought,
            @ForAll("texts") String answer,
            @ForAll List<Byte> cuts) {
        String output = format.open + thought + format.close + answer;
        assertThat(run(format.provider, Cuts.pieces(output, cuts)).parsed())
                .isEqualTo(new Parsed(thought, answer, List.of()));
    }

    @Property
    void whatIsCutStaysReasoning(
            @ForAll("formats") Format format, @ForAll("texts") String thought, @ForAll List<Byte> cuts) {
        assertThat(run(format.provider, Cuts.pieces(format.open + thought, cuts)).parsed())
                .isEqualTo(new Parsed(thought, "", List.of()));
    }

    private static Recorder run(ReasoningParserProvider provider, List<String> pieces) {
        ReasoningParser parser = provider.create(TestContext.builder().build());
        Recorder out = new Recorder();
        pieces.forEach(piece -> parser.accept(TokenDelta.of(piece), out));
        parser.finish(FinishReason.STOP, out);
        return out;
    }
}
