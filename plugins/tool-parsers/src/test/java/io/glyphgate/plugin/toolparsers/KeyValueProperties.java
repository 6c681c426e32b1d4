package io.glyphgate.plugin.toolparsers;

import static org.assertj.core.api.Assertions.assertThat;

import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.TokenDelta;
import io.glyphgate.spi.ToolParser;
import io.glyphgate.testkit.Cuts;
import io.glyphgate.testkit.Parsed;
import io.glyphgate.testkit.Recorder;
import io.glyphgate.testkit.TestContext;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class KeyValueProperties {
    private static final String PIECES =
            "<|tool_call> call: call:f{ : { } [ ] ( ) , s: i: i , <|\"|> <|\" |> 1 2.5 true null x ~ \n"
                    + " <tool_call|> <tool_ <| < 🚢 \ud83d \"";
    private static final TestContext CONTEXT = TestContext.builder()
            .tool("f", Map.of("properties", Map.of("s", Map.of("type", "string"), "i", Map.of("type", "integer"))))
            .build();

    private record Value(String written, String json) {}

    @Provide
    Arbitrary<String> tails() {
        return Arbitraries.of(PIECES.split(" ")).list().ofMaxSize(30).map(pieces -> String.join("", pieces)
                .replace('~', ' '));
    }

    /** Values that no schema describes: what has no quotes is a string too. */
    @Provide
    Arbitrary<Value> values() {
        Arbitrary<Value> strings = Arbitraries.of(
                        "a", " ", "\\", "\n", "\"", "]", "}", ",", ":", "🚢", "<tool_call|>", "<|")
                .list()
                .ofMaxSize(6)
                .map(pieces -> String.join("", pieces))
                .map(text -> new Value("<|\"|>" + text + "<|\"|>", quoted(text)));
        Arbitrary<Value> leaves = Arbitraries.oneOf(
                strings, Arbitraries.integers().map(number -> new Value(number.toString(), quoted(number.toString()))));
        return Arbitraries.recursive(
                () -> leaves,
                inner -> Arbitraries.oneOf(
                        inner.list().ofMaxSize(3).map(list -> joined(list, "[", "]", "", "")),
                        inner.list().ofMaxSize(2).map(list -> joined(list, "{", "}", "k:", "\"k\": "))),
                0,
                3);
    }

    private static Value joined(List<Value> list, String open, String close, String key, String jsonKey) {
        return new Value(
                open
                        + String.join(
                                " ,",
                                list.stream().map(value -> key + value.written).toList())
                        + close,
                open
                        + String.join(
                                ", ",
                                list.stream().map(value -> jsonKey + value.json).toList())
                        + close);
    }

    private static String quoted(String text) {
        return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + "\"";
    }

    @Property
    void everyCutGivesTheSameAndEveryCharacterIsAccountedFor(
            @ForAll("tails") String tail, @ForAll boolean opened, @ForAll List<Byte> cuts) {
        String output = (opened ? "<|tool_call>call:f{" : "") + tail;
        Recorder whole = run(List.of(output));
        Recorder cut = run(Cuts.pieces(output, cuts));
        assertThat(cut.parsed()).isEqualTo(whole.parsed());
        assertThat(whole.consumed()).isEqualTo(output);
        assertThat(cut.consumed()).isEqualTo(output);
    }

    @Property
    void valuesBecomeJson(@ForAll("values") Value value, @ForAll int number, @ForAll List<Byte> cuts) {
        String output = "<|tool_call>call:f{v:" + value.written + ",i:" + number + "}<tool_call|>";
        assertThat(run(Cuts.pieces(output, cuts)).parsed())
                .isEqualTo(new Parsed(
                        "",
                        "",
                        List.of(new Parsed.Call("f", null, "{\"v\": " + value.json + ", \"i\": " + number + "}"))));
    }

    @Property
    void aCallThatIsCutKeepsItsNameAndNoText(@ForAll("values") Value value, @ForAll byte at, @ForAll List<Byte> cuts) {
        String output = "<|tool_call>call:f{v:" + value.written + "}";
        int end = 19 + Math.floorMod(at, output.length() - 18);
        Parsed parsed = run(Cuts.pieces(output.substring(0, end), cuts)).parsed();
        assertThat(parsed.content()).isEmpty();
        assertThat(parsed.calls()).hasSize(1);
        assertThat(parsed.calls().get(0).name()).isEqualTo("f");
        assertThat(parsed.calls().get(0).arguments()).startsWith("{");
    }

    private static Recorder run(List<String> pieces) {
        ToolParser parser = new Gemma4().create(CONTEXT);
        Recorder out = new Recorder();
        pieces.forEach(piece -> parser.accept(TokenDelta.of(piece), out));
        parser.finish(FinishReason.STOP, out);
        return out;
    }
}
