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

/** The families whose calls are JSON objects, alone or in an array. */
class ListedCallProperties {
    /** A family with what stands around its calls. */
    private record Family(ToolParserProvider provider, String open, String separator, String close) {
        String write(String... calls) {
            return open + String.join(separator, calls) + close;
        }
    }

    private static final List<Family> FAMILIES = List.of(
            new Family(new Jamba(), "<tool_calls>[", ", ", "]</tool_calls>"),
            new Family(new Llama3Json(), "", "; ", ""),
            new Family(new HunyuanA13b(), "<tool_calls>[", ", ", "]</tool_calls>"),
            new Family(new Granite(), "<|tool_call|>[", ",\n", "]"),
            new Family(new Phi4MiniJson(), "functools[", ", ", "]"),
            new Family(new Mistral(), "[TOOL_CALLS][", ", ", "]"),
            new Family(
                    new InternLm(),
                    "<|action_start|><|plugin|>",
                    "<|action_end|>\n<|action_start|><|plugin|>",
                    "<|action_end|>"));

    @Provide
    Arbitrary<Family> families() {
        return Arbitraries.of(FAMILIES);
    }

    @Provide
    Arbitrary<List<String>> outputs() {
        return Arbitraries.of(
                        "OPEN",
                        "CALL",
                        "CLOSE",
                        "<tool_calls>",
                        "</tool_calls>",
                        "<|action_end|>",
                        "<|tool_",
                        "functools",
                        "[TOOL_CALLS]",
                        "[ARGS]",
                        "[CALL_ID]",
                        "<think>",
                        "</think>",
                        "{\"name\": \"f\", \"arguments\": ",
                        "{",
                        "}",
                        "[",
                        "]",
                        ",",
                        ";",
                        "\"",
                        "\"name\"",
                        ":",
                        "\\",
                        "1",
                        " ",
                        "\n",
                        "word",
                        "<",
                        "🚢",
                        "\ud83d")
                .list()
                .ofMaxSize(30);
    }

    @Provide
    Arbitrary<String> jsonObjects() {
        Arbitrary<String> strings = Arbitraries.of(
                        "a", " ", "\\\"", "\\\\", "</tool_calls>", "<|tool_call|>", "functools[", "{", "}", "[", "🚢")
                .list()
                .ofMaxSize(6)
                .map(pieces -> "\"" + String.join("", pieces) + "\"");
        Arbitrary<String> leaves = Arbitraries.oneOf(strings, Arbitraries.of("1", "-0.5e3", "true", "null", "{}", "[]"));
        Arbitrary<String> values = Arbitraries.recursive(
                () -> leaves,
                inner -> Arbitraries.oneOf(
                        inner.list().ofMaxSize(3).map(list -> "[" + String.join(", ", list) + "]"),
                        Combinators.combine(strings, inner).as((key, value) -> "{" + key + " : " + value + "\n}")),
                0,
                3);
        return Combinators.combine(strings, values).as((key, value) -> "{" + key + ": " + value + "}");
    }

    @Property
    void everyCutGivesTheSameAndEveryCharacterIsAccountedFor(
            @ForAll("families") Family family, @ForAll("outputs") List<String> parts, @ForAll List<Byte> cuts) {
        StringBuilder written = new StringBuilder();
        for (String part : parts) {
            written.append(
                    switch (part) {
                        case "OPEN" -> family.open;
                        case "CALL" -> call("f", "{\"a\": 1}");
                        case "CLOSE" -> family.close;
                        default -> part;
                    });
        }
        String output = written.toString();
        Recorder whole = run(family.provider, List.of(output));
        Recorder cut = run(family.provider, Cuts.pieces(output, cuts));
        assertThat(cut.parsed()).isEqualTo(whole.parsed());
        assertThat(whole.consumed()).isEqualTo(output);
        assertThat(cut.consumed()).isEqualTo(output);
    }

    @Property
    void argumentsPassAsTheyAre(
            @ForAll("families") Family family,
            @ForAll("jsonObjects") String first,
            @ForAll("jsonObjects") String second,
            @ForAll List<Byte> cuts) {
        String output = "Hi." + family.write(call("f", first), call("g", second));
        assertThat(run(family.provider, Cuts.pieces(output, cuts)).parsed())
                .isEqualTo(new Parsed(
                        "", "Hi.", List.of(new Parsed.Call("f", null, first), new Parsed.Call("g", null, second))));
    }

    @Property
    void aCallThatIsCutKeepsWhatItHas(
            @ForAll("families") Family family,
            @ForAll("jsonObjects") String arguments,
            @ForAll byte where,
            @ForAll List<Byte> cuts) {
        String kept = arguments.substring(0, Math.floorMod(where, arguments.length()));
        String output = family.open + "{\"name\": \"f\", \"arguments\": " + kept;
        assertThat(run(family.provider, Cuts.pieces(output, cuts)).parsed())
                .isEqualTo(new Parsed("", "", List.of(new Parsed.Call("f", null, kept))));
    }

    private static String call(String name, String arguments) {
        return "{\"name\": \"" + name + "\", \"arguments\": " + arguments + "}";
    }

    private static Recorder run(ToolParserProvider provider, List<String> pieces) {
        ToolParser parser = provider.create(TestContext.builder().build());
        Recorder out = new Recorder();
        pieces.forEach(piece -> parser.accept(TokenDelta.of(piece), out));
        parser.finish(FinishReason.STOP, out);
        return out;
    }
}
