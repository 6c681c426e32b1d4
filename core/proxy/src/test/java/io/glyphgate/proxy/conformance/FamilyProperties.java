package io.glyphgate.proxy.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.glyphgate.proxy.choice.Choice;
import io.glyphgate.proxy.choice.EngineFinish;
import io.glyphgate.proxy.choice.OutputPlan;
import io.glyphgate.proxy.choice.RecordedText;
import io.glyphgate.proxy.choice.StopStrings;
import io.glyphgate.proxy.conformance.Notations.Call;
import io.glyphgate.proxy.conformance.Notations.Heard;
import io.glyphgate.proxy.conformance.Notations.Trait;
import io.glyphgate.proxy.plugin.Registry;
import io.glyphgate.proxy.wire.ParseRequest;
import io.glyphgate.spi.CombinedParserProvider;
import io.glyphgate.spi.OutputModeProvider.Need;
import io.glyphgate.spi.ParserProvider;
import io.glyphgate.spi.ReasoningParserProvider;
import io.glyphgate.spi.Tokenizer;
import io.glyphgate.spi.Tool;
import io.glyphgate.spi.ToolChoice;
import io.glyphgate.spi.ToolParserProvider;
import io.glyphgate.testkit.Cuts;
import io.glyphgate.testkit.Parsed;
import io.glyphgate.testkit.WatchedParser;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.jspecify.annotations.Nullable;

/**
 * What a model says in a family's notation comes out as it was meant, however it is cut; what is cut short is the start
 * of it. All registered parsers, in all pairs.
 */
class FamilyProperties {
    private static final Registry REGISTRY = Registry.of(FamilyProperties.class.getClassLoader());
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
    private static final Map<String, Object> SCHEMA = Map.of(
            "type",
            "object",
            "properties",
            Map.of(
                    "s", Map.of("type", "string"),
                    "i", Map.of("type", "integer"),
                    "n", Map.of("type", "number"),
                    "b", Map.of("type", "boolean"),
                    "u", Map.of("type", List.of("string", "null")),
                    "a", Map.of("type", "array", "items", Map.of("type", "string")),
                    "o", Map.of("type", "object"),
                    "d", Map.of("type", "object")));
    private static final ParseRequest REQUEST = new ParseRequest(
            List.of(Tool.of("f", SCHEMA), Tool.of("g", SCHEMA)),
            ToolChoice.AUTO,
            true,
            true,
            Map.of("thinking", true),
            0);
    /** Longer than any marker with its guard, or a marker with a name, of any family. */
    private static final int HELD = 100;

    private static final int LONG = 500;

    /** Parsers, and how their families write. */
    private record Family(
            OutputPlan.Parsers parsers,
            Notations.@Nullable Messages messages,
            Notations.@Nullable Reasoning reasoning,
            Notations.@Nullable Calls calls) {
        private boolean reasons() {
            return messages != null || reasoning != null;
        }

        private boolean callsFunctions() {
            return messages != null || calls != null;
        }

        private boolean has(Trait trait) {
            return messages != null ? trait == Trait.RAW : calls != null && calls.traits().contains(trait);
        }

        private List<String> quotable() {
            return calls == null ? List.of() : calls.quotable();
        }

        private boolean hears(Heard heard) {
            return reasoning != null && reasoning.heard() == heard;
        }

        private String write(Notations.Said said) {
            if (messages != null) {
                return messages.write(said);
            }
            return (reasoning == null ? "" : reasoning.write(said.reasoning()))
                    + said.before()
                    + (calls == null || said.calls().isEmpty() ? "" : calls.write(said.calls()))
                    + said.after();
        }

        @Override
        public String toString() {
            return name(parsers.combined()) + name(parsers.reasoning()) + "+" + name(parsers.tools());
        }

        private static String name(@Nullable ParserProvider provider) {
            return provider == null ? "" : provider.name();
        }
    }

    /** What was said, by whom. */
    private record Spoken(Family family, Notations.Said said) {
        private String output() {
            return family.write(said);
        }
    }

    private static <P extends ParserProvider> List<P> parsers(Class<P> kind) {
        return REGISTRY.names(kind).stream()
                .map(name -> REGISTRY.find(kind, name).orElseThrow())
                .distinct()
                .toList();
    }

    private static Set<String> names(Class<? extends ParserProvider> kind) {
        return parsers(kind).stream().map(ParserProvider::name).collect(Collectors.toCollection(TreeSet::new));
    }

    @Example
    void everyParserHasANotation() {
        assertThat(Notations.REASONING.keySet()).isEqualTo(names(ReasoningParserProvider.class));
        assertThat(Notations.CALLS.keySet().stream().map(Notations::parser).collect(Collectors.toSet()))
                .isEqualTo(names(ToolParserProvider.class));
        assertThat(Notations.MESSAGES.keySet()).isEqualTo(names(CombinedParserProvider.class));
    }

    private static List<Family> families() {
        List<Family> families = new ArrayList<>();
        for (CombinedParserProvider parser : parsers(CombinedParserProvider.class)) {
            Notations.Messages messages = Notations.MESSAGES.get(parser.name());
            families.add(new Family(new OutputPlan.Parsers(parser, null, null), messages, null, null));
        }
        for (ReasoningParserProvider reasoning : parsers(ReasoningParserProvider.class)) {
            families.add(family(reasoning, null, null));
        }
        for (ToolParserProvider tools : parsers(ToolParserProvider.class)) {
            for (Notations.Calls calls : Notations.calls(tools.name())) {
                families.add(family(null, tools, calls));
                parsers(ReasoningParserProvider.class).stream()
                        .map(reasoning -> family(reasoning, tools, calls))
                        // What is shown stands before calls, so none of them is first.
                        .filter(family -> !family.hears(Heard.SHOWN) || !family.has(Trait.ONLY_FIRST))
                        .forEach(families::add);
            }
        }
        return families;
    }

    private static Family family(
            @Nullable ReasoningParserProvider reasoning,
            @Nullable ToolParserProvider tools,
            Notations.@Nullable Calls calls) {
        return new Family(
                new OutputPlan.Parsers(null, reasoning, tools),
                null,
                reasoning == null ? null : Notations.REASONING.get(reasoning.name()),
                calls);
    }

    @Provide
    Arbitrary<Spoken> spoken() {
        return Arbitraries.of(families()).flatMap(family -> said(family).map(said -> new Spoken(family, said)));
    }

    private static Arbitrary<Notations.Said> said(Family family) {
        Arbitrary<List<Call>> calls = family.callsFunctions()
                ? call(family).list().ofMaxSize(3)
                : Arbitraries.just(List.<Call>of());
        Arbitrary<String> thoughts = family.reasons() ? text("T", "") : Arbitraries.just("");
        return Combinators.combine(thoughts, text("B", "."), calls, text("A", "."))
                .as((reasoning, before, said, after) -> new Notations.Said(
                        reasoning, family.has(Trait.ONLY_FIRST) && !said.isEmpty() ? "" : before, said, after));
    }

    private static Arbitrary<String> text(String first, String last) {
        Arbitrary<String> texts = Arbitraries.of(
                        "word", " and ", "\n", "\n\n", "\u00e9", "\ud83d\udea2", "\"", "'", "5 < 6", "<b>", "</",
                        "<thin", "</th", "`x`", "f(1)")
                .list()
                .ofMaxSize(8)
                .map(pieces -> first + String.join("", pieces) + last);
        return Arbitraries.oneOf(Arbitraries.just(""), texts);
    }

    private static Arbitrary<Call> call(Family family) {
        Map<String, Arbitrary<JsonNode>> values = new LinkedHashMap<>();
        Arbitrary<JsonNode> strings = strings(family);
        values.put("s", strings);
        values.put("i", Arbitraries.bigIntegers().map(JSON::numberNode));
        values.put(
                "n",
                Arbitraries.of("0.5", "-2.25", "1e-7", "12").map(text -> JSON.numberNode(new BigDecimal(text))));
        values.put("b", Arbitraries.of(true, false).map(JSON::booleanNode));
        if (!family.has(Trait.SCALARS)) {
            values.put("u", Arbitraries.oneOf(strings, Arbitraries.of(JSON.nullNode())));
            values.put("a", strings.list().ofMaxSize(3).map(FamilyProperties::array));
            values.put("o", Combinators.combine(strings, strings).as((k, l) -> object(Map.of("k", k, "l", l))));
            if (!family.has(Trait.STRINGS_INSIDE)) {
                values.put("d", deep(strings).map(value -> object(Map.of("k", value))));
            }
        }
        Arbitrary<ObjectNode> arguments = Arbitraries.of(values.keySet())
                .set()
                .ofMaxSize(4)
                .map(keys -> keys.stream().sorted().toList())
                .flatMap(keys -> Combinators.combine(keys.stream().map(values::get).toList())
                        .as(drawn -> {
                            ObjectNode object = JSON.objectNode();
                            for (int i = 0; i < drawn.size(); i++) {
                                object.set(keys.get(i), drawn.get(i));
                            }
                            return object;
                        }));
        return Combinators.combine(Arbitraries.of("f", "g"), arguments).as(Call::new);
    }

    private static Arbitrary<JsonNode> strings(Family family) {
        List<String> pieces = new ArrayList<>(List.of(
                "word", " ", "\n", "\"", "\\", "{", "[1, ", ":", ",", "\u00e9", "\ud83d\udea2",
                "null", "<b>", "</b>", "7"));
        pieces.addAll(family.quotable());
        Arbitrary<String> texts =
                Arbitraries.of(pieces).list().ofMaxSize(6).map(list -> "x" + String.join("", list) + "y");
        return Arbitraries.oneOf(Arbitraries.of("", "plain"), texts).map(JSON::textNode);
    }

    private static Arbitrary<JsonNode> deep(Arbitrary<JsonNode> strings) {
        Arbitrary<JsonNode> leaves = Arbitraries.oneOf(
                strings,
                Arbitraries.integers().map(JSON::numberNode),
                Arbitraries.of(JSON.nullNode(), JSON.booleanNode(true), JSON.numberNode(new BigDecimal("-0.5"))));
        return Arbitraries.recursive(
                () -> leaves,
                inner -> Arbitraries.oneOf(
                        inner.list().ofMaxSize(3).map(FamilyProperties::array),
                        inner.map(value -> object(Map.of("k k", value)))),
                0,
                3);
    }

    private static JsonNode array(List<JsonNode> values) {
        return JSON.arrayNode().addAll(values);
    }

    private static JsonNode object(Map<String, JsonNode> members) {
        ObjectNode object = JSON.objectNode();
        members.keySet().stream().sorted().forEach(key -> object.set(key, members.get(key)));
        return object;
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void whatTheModelSaidComesOut(@ForAll("spoken") Spoken spoken, @ForAll List<Byte> cuts) {
        List<String> pieces = Cuts.pieces(spoken.output(), cuts);
        Answer answer = play(spoken.family, pieces, "stop");
        List<Answer.Call> calls = new ArrayList<>();
        for (Call call : spoken.said.calls()) {
            String id = spoken.family.has(Trait.NUMBERED) ? "functions." + call.name() + ":" + calls.size() : "";
            calls.add(new Answer.Call(id, call.name(), call.arguments().toString()));
        }
        String reasoning = spoken.said.reasoning();
        boolean shown = spoken.family.hears(Heard.SHOWN);
        Answer expected = new Answer(
                "",
                shown ? "" : spoken.family.hears(Heard.TRIMMED) ? reasoning.stripTrailing() : reasoning,
                shown ? "<think>" + reasoning + "</think>" + spoken.said.content() : spoken.said.content(),
                calls,
                calls.isEmpty() ? "stop" : "tool_calls",
                "",
                pieces.size());
        assertThat(expected.differences(answer)).isEmpty();
        if (spoken.family.has(Trait.RAW)) {
            assertThat(answer.calls()).isEqualTo(calls);
        }
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void whatIsCutShortIsTheStartOfWhatWasSaid(
            @ForAll("spoken") Spoken spoken, @ForAll int where, @ForAll List<Byte> cuts) {
        String output = spoken.output();
        String start = output.substring(0, Math.floorMod(where, output.length() + 1));
        Answer whole = play(spoken.family, List.of(output), "stop");
        Answer cut = play(spoken.family, Cuts.pieces(start, cuts), "length");
        checkStart(cut.reasoning(), whole.reasoning(), start);
        checkStart(cut.content(), whole.content(), start);
        assertThat(cut.finishReason()).isEqualTo("length");
        assertThat(cut.calls()).hasSizeLessThanOrEqualTo(whole.calls().size());
        for (int i = 0; i < cut.calls().size(); i++) {
            Answer.Call call = cut.calls().get(i);
            Answer.Call meant = whole.calls().get(i);
            assertThat(call.name()).isEqualTo(meant.name());
            if (i + 1 < cut.calls().size()) {
                assertThat(call.arguments()).isEqualTo(meant.arguments());
            } else {
                checkArguments(call.arguments(), meant.arguments(), start, spoken.family.quotable());
            }
        }
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void choicesShareNothing(@ForAll("pairs") List<Spoken> two) {
        List<WatchedParsers> watched = new ArrayList<>();
        List<Choice> choices = new ArrayList<>();
        List<String> outputs = two.stream().map(Spoken::output).toList();
        for (int choice = 0; choice < two.size(); choice++) {
            WatchedParsers parsers = new WatchedParsers(two.get(choice).family.parsers);
            RecordedText text = new RecordedText(Cuts.sized(outputs.get(choice), 1), "");
            watched.add(parsers);
            choices.add(new Choice(plan(parsers.parsers(), text, StopStrings.NONE)));
        }
        int longest = Math.max(outputs.get(0).length(), outputs.get(1).length());
        for (int i = 0; i < longest; i++) {
            for (int choice = 0; choice < choices.size(); choice++) {
                if (i < outputs.get(choice).length()) {
                    choices.get(choice).accept(new int[] {i}, 1, null);
                }
            }
        }
        for (int choice = 0; choice < choices.size(); choice++) {
            choices.get(choice).abort("length");
            Answer alone = play(two.get(choice).family, List.of(outputs.get(choice)), "length");
            Parsed inTurn = Objects.requireNonNull(watched.get(choice).last()).seen().parsed();
            assertThat(inTurn.content()).isEqualTo(alone.content());
            assertThat(inTurn.calls().stream().map(Parsed.Call::arguments))
                    .containsExactlyElementsOf(
                            alone.calls().stream().map(Answer.Call::arguments).toList());
        }
    }

    /** Two outputs of one family. */
    @Provide
    Arbitrary<List<Spoken>> pairs() {
        return Arbitraries.of(families())
                .flatMap(family -> said(family).map(said -> new Spoken(family, said)).list().ofSize(2));
    }

    /** A field of the output cut short: the start of the whole field, and then perhaps the start of a marker. */
    private static void checkStart(String field, String whole, String output) {
        assertThat(output).endsWith(field.substring(common(field, whole)));
    }

    /**
     * Arguments of the output cut short: the start of the whole arguments. Behind it may stand a marker that was not
     * completed, in a string, or the start of a value that has no type yet, as a string. A marker that stands in a string is
     * what it looks like if the output ends with it.
     */
    private static void checkArguments(String arguments, String whole, String output, List<String> quotable) {
        String rest = arguments.substring(common(arguments, whole));
        boolean closed = (rest.equals("\"") || rest.equals("\"}")) && quotable.stream().anyMatch(output::endsWith);
        if (!rest.equals("}") && !closed) {
            String text = rest.replace("\\n", "\n").replace("\\\"", "\"");
            assertThat(output).endsWith(text.startsWith("\"") && !output.endsWith(text) ? text.substring(1) : text);
        }
    }

    private static int common(String one, String other) {
        int same = 0;
        while (same < Math.min(one.length(), other.length()) && one.charAt(same) == other.charAt(same)) {
            same++;
        }
        return same;
    }

    private static Answer play(Family family, List<String> pieces, String finish) {
        WatchedParsers watched = new WatchedParsers(family.parsers);
        Cuttings cuttings = new Cuttings("", (tokenizer, stop) -> plan(watched.parsers(), tokenizer, stop));
        int[] tokens = IntStream.range(0, pieces.size()).toArray();
        Answer answer = cuttings.play(
                        new RecordedText(pieces, ""),
                        tokens,
                        StopStrings.NONE,
                        new EngineFinish(finish, ""),
                        new int[] {1, 4, 2})
                .answer();
        assertThat(cuttings.problems()).isEmpty();
        return answer;
    }

    private static OutputPlan plan(OutputPlan.Parsers parsers, Tokenizer tokenizer, StopStrings stop) {
        return new OutputPlan(
                "said",
                Set.of(Need.TEXT, Need.MESSAGE),
                tokenizer,
                parsers,
                new int[0],
                true,
                true,
                stop,
                false,
                REQUEST);
    }

    /** Text of any length passes on as it comes: reasoning, content, and a string among the arguments. */
    @Example
    void textIsNotHeld() {
        String text = "some words of no meaning ".repeat(LONG / 25) + ".";
        for (Family family : families()) {
            if (family.parsers.reasoning() != null && family.parsers.tools() != null) {
                continue;
            }
            Call call = new Call("f", (ObjectNode) object(Map.of("s", JSON.textNode(text))));
            Notations.Said said = new Notations.Said(
                    family.reasons() ? text : "",
                    family.has(Trait.ONLY_FIRST) ? "" : text,
                    family.callsFunctions() ? List.of(call) : List.of(),
                    text);
            WatchedParsers watched = new WatchedParsers(family.parsers);
            List<String> pieces = Cuts.sized(family.write(said), 1);
            Choice choice = new Choice(plan(watched.parsers(), new RecordedText(pieces, ""), StopStrings.NONE));
            for (int i = 0; i < pieces.size(); i++) {
                choice.accept(new int[] {i}, 1, null);
                assertThat(held(watched.first())).as("held first by %s", family).hasSizeLessThanOrEqualTo(HELD);
                assertThat(held(watched.last())).as("held last by %s", family).hasSizeLessThanOrEqualTo(HELD);
            }
        }
    }

    private static String held(@Nullable WatchedParser parser) {
        return parser == null ? "" : parser.held();
    }
}
