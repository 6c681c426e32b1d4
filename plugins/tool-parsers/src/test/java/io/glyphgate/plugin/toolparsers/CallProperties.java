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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class CallProperties {
    private static final TestContext CONTEXT = TestContext.builder()
            .tool(
                    "f",
                    Map.of(
                            "properties",
                            Map.of(
                                    "s", Map.of("type", "string"),
                                    "i", Map.of("type", "integer"),
                                    "o", Map.of("type", List.of("string", "null")))))
            .build();

    private record Parameter(String name, String written, String json) {}

    @Provide
    Arbitrary<ToolParserProvider> providers() {
        return Arbitraries.of(
                new Hermes(),
                new Qwen3Coder(),
                new SeedOss(),
                new Glm45(),
                new MinimaxM2(),
                new DeepSeekV32(),
                new Step3(),
                new Pythonic(),
                new Llama4Pythonic(),
                new Olmo3());
    }

    @Provide
    Arbitrary<String> outputs() {
        return Arbitraries.of(
                        "<tool_call>",
                        "</tool_call>",
                        "<function=",
                        "f",
                        "g>",
                        ">",
                        "</function>",
                        "<seed:tool_call>",
                        "<tool_call>f\n",
                        "<arg_key>",
                        "</arg_key>",
                        "<arg_value>",
                        "</arg_value>",
                        "<minimax:tool_call>",
                        "<invoke name='f'>",
                        "</invoke>",
                        "<parameter name='s'>",
                        "<｜tool_calls_begin｜>",
                        "<｜tool_call_begin｜>function<｜tool_sep｜>",
                        "<steptml:invoke name=\"f\">",
                        "<steptml:parameter name=\"s\">",
                        "</steptml:parameter>",
                        "</steptml:invoke>",
                        "<｜tool_call_end｜>",
                        "<｜tool_calls_end｜>",
                        "<｜DSML｜function_calls>",
                        "<｜DSML｜invoke name=\"f\">",
                        "<｜DSML｜parameter name=\"arguments\" string=\"false\">",
                        "{\"s\": 1}",
                        "</｜DSML｜parameter>",
                        "</｜DSML｜invoke>",
                        "<parameter=",
                        "s>",
                        "< parameter = i >",
                        "o>",
                        "</parameter>",
                        "< / parameter >",
                        "{",
                        "}",
                        "\"name\"",
                        ":",
                        "\"f\"",
                        "\"arguments\"",
                        "{\"name\": \"f\", \"arguments\": ",
                        "<tool_call>{",
                        "[",
                        "]",
                        ",",
                        "\"",
                        "\\",
                        "1",
                        "null",
                        " ",
                        "\n",
                        "word",
                        "<",
                        "</",
                        "<tool_",
                        "call>",
                        "🚢",
                        "\ud83d")
                .list()
                .ofMaxSize(30)
                .map(pieces -> String.join("", pieces));
    }

    @Provide
    Arbitrary<String> jsonValues() {
        Arbitrary<String> strings = Arbitraries.of("a", " ", "\\\"", "\\\\", "\\n", "</tool_call>", "{", "}", "[", "🚢")
                .list()
                .ofMaxSize(6)
                .map(pieces -> "\"" + String.join("", pieces) + "\"");
        Arbitrary<String> leaves =
                Arbitraries.oneOf(strings, Arbitraries.of("1", "-0.5e3", "true", "null", "{}", "[]", "{ }"));
        return Arbitraries.recursive(
                () -> leaves,
                inner -> Arbitraries.oneOf(
                        inner.list().ofMaxSize(3).map(values -> "[" + String.join(", ", values) + "]"),
                        Combinators.combine(strings, inner).as((key, value) -> "{" + key + " : " + value + "\n}")),
                0,
                3);
    }

    @Provide
    Arbitrary<List<Parameter>> parameters() {
        Arbitrary<Parameter> strings = Arbitraries.of(
                        "line",
                        " ",
                        "\n",
                        "\"",
                        "\\",
                        "<b>",
                        "</b>",
                        "</parameter> x",
                        "<parameter=k>",
                        " </function> ",
                        "🚢")
                .list()
                .ofMaxSize(6)
                .map(pieces -> "x" + String.join("", pieces) + "y")
                .filter(text -> !text.contains("\n<parameter=") && !text.contains("</parameter> x\n"))
                .map(text -> new Parameter("s", text, quoted(text)));
        Arbitrary<Parameter> integers =
                Arbitraries.bigIntegers().map(number -> new Parameter("i", number.toString(), number.toString()));
        Arbitrary<Parameter> nullables = Arbitraries.of("null", "nul", "nullx", "NULL", "", "text")
                .map(text -> new Parameter("o", text, text.equalsIgnoreCase("null") ? "null" : quoted(text)));
        return Arbitraries.oneOf(strings, integers, nullables).list().ofMaxSize(4);
    }

    private static String quoted(String text) {
        return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + "\"";
    }

    @Property
    void everyCutGivesTheSameAndEveryCharacterIsAccountedFor(
            @ForAll("providers") ToolParserProvider provider,
            @ForAll("outputs") String output,
            @ForAll List<Byte> cuts) {
        Recorder whole = run(provider, List.of(output));
        Recorder cut = run(provider, Cuts.pieces(output, cuts));
        assertThat(cut.parsed()).isEqualTo(whole.parsed());
        assertThat(whole.consumed()).isEqualTo(output);
        assertThat(cut.consumed()).isEqualTo(output);
    }

    @Property
    void jsonArgumentsPassAsTheyAre(
            @ForAll("jsonValues") String value, @ForAll boolean nameFirst, @ForAll List<Byte> cuts) {
        String name = "\"name\": \"f\"";
        String arguments = "\"arguments\": " + value;
        String output =
                "<tool_call>\n{" + (nameFirst ? name + ", " + arguments : arguments + ", " + name) + "}\n</tool_call>";
        assertThat(run(new Hermes(), Cuts.pieces(output, cuts)).parsed())
                .isEqualTo(new Parsed("", "", List.of(new Parsed.Call("f", null, value))));
    }

    @Property
    void taggedArgumentsBecomeJson(@ForAll("parameters") List<Parameter> parameters, @ForAll List<Byte> cuts) {
        StringBuilder output = new StringBuilder("<tool_call>\n<function=f>\n");
        List<String> members = new ArrayList<>();
        for (Parameter parameter : parameters) {
            output.append("<parameter=")
                    .append(parameter.name)
                    .append(">\n")
                    .append(parameter.written)
                    .append("\n</parameter>\n");
            members.add("\"" + parameter.name + "\": " + parameter.json);
        }
        output.append("</function>\n</tool_call>");
        assertThat(run(new Qwen3Coder(), Cuts.pieces(output.toString(), cuts)).parsed())
                .isEqualTo(new Parsed(
                        "", "", List.of(new Parsed.Call("f", null, "{" + String.join(", ", members) + "}"))));
    }

    /**
     * How a family writes a call of {@code f}: what stands around it, and a parameter as a pattern of name and value.
     */
    private record Notation(ToolParserProvider provider, String open, String parameter, String close) {}

    @Provide
    Arbitrary<Notation> notations() {
        return Arbitraries.of(
                new Notation(
                        new SeedOss(),
                        "<seed:tool_call>\n<function=f>\n",
                        "<parameter=%s>\n%s\n</parameter>\n",
                        "</function>\n</seed:tool_call>"),
                new Notation(
                        new Glm45(),
                        "<tool_call>f\n",
                        "<arg_key>%s</arg_key>\n<arg_value>%s</arg_value>\n",
                        "</tool_call>"),
                new Notation(
                        new MinimaxM2(),
                        "<minimax:tool_call>\n<invoke name=\"f\">\n",
                        "<parameter name=\"%s\">%s</parameter>\n",
                        "</invoke>\n</minimax:tool_call>"),
                new Notation(
                        new DeepSeekV32(),
                        "<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"f\">\n",
                        "<｜DSML｜parameter name=\"%s\" string=\"true\">%s</｜DSML｜parameter>\n",
                        "</｜DSML｜invoke>\n</｜DSML｜function_calls>"));
    }

    @Property
    void argumentsOfEveryNotationBecomeJson(
            @ForAll("notations") Notation notation,
            @ForAll("parameters") List<Parameter> parameters,
            @ForAll List<Byte> cuts) {
        StringBuilder output = new StringBuilder(notation.open);
        List<String> members = new ArrayList<>();
        for (Parameter parameter : parameters) {
            output.append(notation.parameter.formatted(parameter.name, parameter.written));
            members.add("\"" + parameter.name + "\": " + parameter.json);
        }
        output.append(notation.close);
        assertThat(run(notation.provider, Cuts.pieces(output.toString(), cuts)).parsed())
                .isEqualTo(new Parsed(
                        "", "", List.of(new Parsed.Call("f", null, "{" + String.join(", ", members) + "}"))));
    }

    /** The name of a call that is cut off stands, and its arguments are the start of what they would have been. */
    @Property
    void aCutCallIsTheStartOfTheCall(
            @ForAll("notations") Notation notation, @ForAll("values") String value, @ForAll List<Byte> cuts) {
        String output = notation.open + notation.parameter.formatted("s", value);
        int from = notation.open.length();
        int end = output.lastIndexOf(value) + value.length();
        for (int to = from; to <= end; to++) {
            List<Parsed.Call> calls = run(notation.provider, Cuts.pieces(output.substring(0, to), cuts))
                    .parsed()
                    .calls();
            assertThat(calls).hasSize(1);
            assertThat(calls.get(0).name()).isEqualTo("f");
            String arguments = calls.get(0).arguments();
            assertThat("{\"s\": " + quoted(value)).startsWith(arguments.equals("{}") ? "{" : arguments);
        }
    }

    @Provide
    Arbitrary<String> values() {
        return Arbitraries.of("word", " ", "\n", "\"", "\\", ">", "🚢")
                .list()
                .ofMaxSize(4)
                .map(pieces -> "x" + String.join("", pieces));
    }

    private static Recorder run(ToolParserProvider provider, List<String> pieces) {
        ToolParser parser = provider.create(CONTEXT);
        Recorder out = new Recorder();
        pieces.forEach(piece -> parser.accept(TokenDelta.of(piece), out));
        parser.finish(FinishReason.STOP, out);
        return out;
    }
}
