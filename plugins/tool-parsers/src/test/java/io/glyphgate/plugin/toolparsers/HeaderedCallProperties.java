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
import org.jspecify.annotations.Nullable;

/** The families whose calls are a header with the name and then a JSON value. */
class HeaderedCallProperties {
    /** A family with its markers, {@code @} standing for the name and {@code #} for the arguments. */
    private record Family(ToolParserProvider provider, String begin, String call, String end, boolean numbered) {
        String write(String name, String arguments) {
            return call.replace("@", name).replace("#", arguments);
        }

        @Nullable String id(String name) {
            return numbered ? "functions." + name + ":7" : null;
        }
    }

    private static final List<Family> FAMILIES = List.of(
            new Family(
                    new KimiK2(),
                    "<|tool_calls_section_begin|>",
                    "<|tool_call_begin|>functions.@:7<|tool_call_argument_begin|>#<|tool_call_end|>",
                    "<|tool_calls_section_end|>",
                    true),
            new Family(
                    new DeepSeekV3(),
                    "<｜tool▁calls▁begin｜>",
                    "<｜tool▁call▁begin｜>function<｜tool▁sep｜>@\n```json\n#\n```<｜tool▁call▁end｜>",
                    "<｜tool▁calls▁end｜>",
                    false),
            new Family(
                    new DeepSeekV31(),
                    "<｜tool▁calls▁begin｜>",
                    "<｜tool▁call▁begin｜>@<｜tool▁sep｜>#<｜tool▁call▁end｜>",
                    "<｜tool▁calls▁end｜>",
                    false),
            new Family(new Mistral(), "", "[TOOL_CALLS]@[ARGS]#", "", false));

    @Provide
    Arbitrary<Family> families() {
        return Arbitraries.of(FAMILIES);
    }

    @Provide
    Arbitrary<List<String>> outputs() {
        return Arbitraries.of(
                        "BEGIN",
                        "CALL",
                        "END",
                        "<|tool_call_begin|>",
                        "<|tool_call_argument_begin|>",
                        "<|tool_call_end|>",
                        "<｜tool▁call▁begin｜>",
                        "function<｜tool▁sep｜>",
                        "<｜tool▁sep｜>",
                        "[TOOL_CALLS]",
                        "[ARGS]",
                        "[CALL_ID]",
                        "<｜tool▁call▁end｜>",
                        "\n```json\n",
                        "\n```",
                        "f",
                        "functions.f:0",
                        ":1",
                        "{",
                        "}",
                        "{\"a\": 1}",
                        "[",
                        "]",
                        ",",
                        "\"",
                        "\\",
                        "1",
                        " ",
                        "\n",
                        "word",
                        "<",
                        "<|tool_",
                        "<｜",
                        "🚢",
                        "\ud83d")
                .list()
                .ofMaxSize(30);
    }

    @Provide
    Arbitrary<String> jsonObjects() {
        Arbitrary<String> strings = Arbitraries.of(
                        "a", " ", "\\\"", "\\\\", "<|tool_call_end|>", "<｜tool▁call▁end｜>", "\n```", "{", "}", "[", "🚢")
                .list()
                .ofMaxSize(6)
                .map(pieces -> "\"" + String.join("", pieces).replace("\n", "\\n") + "\"");
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
                        case "BEGIN" -> family.begin;
                        case "CALL" -> family.write("f", "{\"a\": 1}");
                        case "END" -> family.end;
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
        String output = "Hi." + family.begin + family.write("f", first) + family.write("g", second) + family.end;
        assertThat(run(family.provider, Cuts.pieces(output, cuts)).parsed())
                .isEqualTo(new Parsed(
                        "",
                        "Hi.",
                        List.of(
                                new Parsed.Call("f", family.id("f"), first),
                                new Parsed.Call("g", family.id("g"), second))));
    }

    @Property
    void aCallThatIsCutKeepsWhatItHas(
            @ForAll("families") Family family,
            @ForAll("jsonObjects") String arguments,
            @ForAll byte where,
            @ForAll List<Byte> cuts) {
        // White space at the cut may belong to what closes the call.
        String kept =
                arguments.substring(0, Math.floorMod(where, arguments.length())).stripTrailing();
        String call = family.call.replace("@", "f");
        String output = family.begin + call.substring(0, call.indexOf('#')) + kept;
        assertThat(run(family.provider, Cuts.pieces(output, cuts), FinishReason.LENGTH).parsed())
                .isEqualTo(new Parsed("", "", List.of(new Parsed.Call("f", family.id("f"), kept))));
    }

    private static Recorder run(ToolParserProvider provider, List<String> pieces) {
        return run(provider, pieces, FinishReason.STOP);
    }

    private static Recorder run(ToolParserProvider provider, List<String> pieces, FinishReason reason) {
        ToolParser parser = provider.create(TestContext.builder().build());
        Recorder out = new Recorder();
        pieces.forEach(piece -> parser.accept(TokenDelta.of(piece), out));
        parser.finish(reason, out);
        return out;
    }
}
