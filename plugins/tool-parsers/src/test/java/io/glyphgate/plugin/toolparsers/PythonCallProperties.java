package io.glyphgate.plugin.toolparsers;

import static org.assertj.core.api.Assertions.assertThat;

import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.TokenDelta;
import io.glyphgate.spi.ToolParser;
import io.glyphgate.spi.ToolParserProvider;
import io.glyphgate.testkit.Cuts;
import io.glyphgate.testkit.Parsed;
import io.glyphgate.testkit.Recorder;
import io.glyphgate.testkit.TestContext;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class PythonCallProperties {
    private static final String PIECES =
            "f( a= b~=~ g(c=1) ' \" ''' \\ \\x4 \\u00e \\7 r' ( ) [ ] { } : , = 1 - . e5 True None nul x ~ \n 🚢 \ud83d"
                    + " < </ </function_calls> <function_calls> <|python_end|> word";

    private record Value(String written, String json) {}

    @Provide
    Arbitrary<ToolParserProvider> providers() {
        return Arbitraries.of(new Pythonic(), new Llama4Pythonic(), new Olmo3());
    }

    @Provide
    Arbitrary<String> tails() {
        return Arbitraries.of(PIECES.split(" ")).list().ofMaxSize(30).map(pieces -> String.join("", pieces)
                .replace('~', ' '));
    }

    @Provide
    Arbitrary<Value> values() {
        Arbitrary<Value> strings = Arbitraries.of(
                        "a", " ", "\\'", "\\\\", "\\n", "\"", "]", ")", "}", ",", "🚢", "</function_calls>")
                .list()
                .ofMaxSize(6)
                .map(pieces -> String.join("", pieces))
                .map(text -> new Value(
                        "'" + text + "'", "\"" + text.replace("\"", "\\\"").replace("\\'", "'") + "\""));
        Arbitrary<Value> leaves = Arbitraries.oneOf(
                strings,
                Arbitraries.integers().map(number -> new Value(number.toString(), number.toString())),
                Arbitraries.of(
                        new Value("True", "true"),
                        new Value("None", "null"),
                        new Value("{}", "{}"),
                        new Value("( )", "[]"),
                        new Value("-0.5", "-0.5")));
        return Arbitraries.recursive(
                () -> leaves,
                inner -> Arbitraries.oneOf(
                        inner.list().ofMaxSize(3).map(list -> joined(list, "[", "]")),
                        inner.list().ofMinSize(2).ofMaxSize(3).map(list -> joined(list, "(", ")")),
                        Combinators.combine(strings, inner)
                                .as((key, value) -> new Value(
                                        "{" + key.written + " : " + value.written + ",}",
                                        "{" + key.json + ": " + value.json + "}"))),
                0,
                3);
    }

    private static Value joined(List<Value> list, String open, String close) {
        return new Value(
                open + String.join(" ,", list.stream().map(Value::written).toList()) + close,
                "[" + String.join(", ", list.stream().map(Value::json).toList()) + "]");
    }

    @Property
    void everyCutGivesTheSameAndEveryCharacterIsAccountedFor(
            @ForAll("providers") ToolParserProvider provider, @ForAll("tails") String tail, @ForAll List<Byte> cuts) {
        String output = (provider instanceof Olmo3 ? "<function_calls>" : "[") + "f(a=" + tail;
        Recorder whole = run(provider, List.of(output));
        Recorder cut = run(provider, Cuts.pieces(output, cuts));
        assertThat(cut.parsed()).isEqualTo(whole.parsed());
        assertThat(whole.consumed()).isEqualTo(output);
        assertThat(cut.consumed()).isEqualTo(output);
    }

    @Property
    void literalsBecomeJson(@ForAll("values") Value value, @ForAll("values") Value other, @ForAll List<Byte> cuts) {
        String output = "[f(a=" + value.written + ", b=" + other.written + "), g()]";
        assertThat(run(new Pythonic(), Cuts.pieces(output, cuts)).parsed())
                .isEqualTo(new Parsed(
                        "",
                        "",
                        List.of(
                                new Parsed.Call("f", null, "{\"a\": " + value.json + ", \"b\": " + other.json + "}"),
                                new Parsed.Call("g", null, "{}"))));
    }

    @Property
    void aCallThatIsCutKeepsItsNameAndNoText(@ForAll("values") Value value, @ForAll byte at, @ForAll List<Byte> cuts) {
        String output = "[f(a=" + value.written + ")]";
        int end = 5 + Math.floorMod(at, output.length() - 4);
        Parsed parsed =
                run(new Pythonic(), Cuts.pieces(output.substring(0, end), cuts)).parsed();
        assertThat(parsed.content()).isEmpty();
        assertThat(parsed.calls()).hasSize(1);
        assertThat(parsed.calls().get(0).name()).isEqualTo("f");
        assertThat(parsed.calls().get(0).arguments()).startsWith("{");
    }

    private static Recorder run(ToolParserProvider provider, List<String> pieces) {
        ToolParser parser = provider.create(TestContext.builder().build());
        Recorder out = new Recorder();
        pieces.forEach(piece -> parser.accept(TokenDelta.of(piece), out));
        parser.finish(FinishReason.STOP, out);
        return out;
    }
}
