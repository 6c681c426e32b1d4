package io.glyphgate.proxy.choice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.glyphgate.proxy.plugin.PluginFailedException;
import io.glyphgate.proxy.plugin.PluginKind;
import io.glyphgate.proxy.wire.ParseRequest;
import io.glyphgate.spi.DeltaSink;
import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.ParseContext;
import io.glyphgate.spi.TokenDelta;
import io.glyphgate.spi.Tool;
import io.glyphgate.spi.ToolChoice;
import io.glyphgate.spi.ToolOpener;
import io.glyphgate.spi.ToolParser;
import io.glyphgate.spi.ToolParserProvider;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the host finds in the output of any parser: here of one that takes each token for what its first sign says. */
class OutputWatchTest {
    private static final Tool WEATHER = Tool.of(
            "weather", Map.of("type", "object", "required", List.of("city"), "properties", Map.of("city", Map.of("type", "string"))));

    /** {@code =} opens a call, {@code +} adds arguments, {@code !} tells an anomaly, {@code #} throws, else content. */
    private static final ToolParserProvider SIGNS = new Parsers("signs", false, (delta, out) -> {
        int from = 0;
        for (int i = 0; i < delta.tokenCount(); i++) {
            token(delta.text().subSequence(from, delta.textEnd(i)).toString(), out);
            from = delta.textEnd(i);
        }
    });

    private static void token(String token, DeltaSink out) {
        String rest = token.isEmpty() ? "" : token.substring(1);
        switch (token.isEmpty() ? ' ' : token.charAt(0)) {
            case '=' -> out.toolCall(rest, null);
            case '+' -> out.toolArguments(rest);
            case '!' -> out.anomaly(rest);
            case '#' -> throw new IllegalStateException("number sign");
            default -> {
                out.content(token);
                return;
            }
        }
        out.structure(token);
    }

    /** Tool parsers that do one thing with every delta. */
    private record Parsers(String name, boolean showsMarkers, BiConsumer<TokenDelta, DeltaSink> take) implements ToolParserProvider {
        @Override
        public Set<String> markers() {
            return Set.of("<call>", "\n</call>\n", "[", "functions", "<a");
        }

        @Override
        public List<ToolOpener> openers() {
            return List.of();
        }

        @Override
        public ToolParser create(ParseContext context) {
            return new ToolParser() {
                @Override
                public void accept(TokenDelta delta, DeltaSink out) {
                    take.accept(delta, out);
                }

                @Override
                public void finish(FinishReason reason, DeltaSink out) {}
            };
        }
    }

    private static List<String> of(String reason, String... pieces) {
        return of(reason, List.of(WEATHER), List.of(pieces));
    }

    private static List<String> of(String reason, List<Tool> tools, List<String> pieces) {
        ParseRequest request = new ParseRequest(tools, ToolChoice.AUTO, true, true, Map.of(), 0);
        Anomalies anomalies = new Anomalies();
        Choice choice = new Choice(
                Plans.message(pieces, new OutputPlan.Parsers(null, null, SIGNS), request), anomalies);
        choice.accept(IntStream.range(0, pieces.size()).toArray(), pieces.size(), new EngineFinish(reason, ""));
        assertThat(anomalies.found()).allSatisfy(anomaly -> {
            assertThat(anomaly.parser()).isEqualTo("signs");
            assertThat(anomaly.parserKind()).isEqualTo(PluginKind.TOOL_PARSER);
        });
        return anomalies.found().stream().map(Anomaly::kind).toList();
    }

    @Test
    void aGoodOutputHasNone() {
        assertThat(of("stop", "Let me [look] <a> functions.", "=weather", "+{\"city\": ", "+\"Oslo\"}", "=weather", "+{\"city\":\"\"}"))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"a<ca|ll>b", "<call>", "x<call>y<call>", "<cal<call>", "</call>"})
    void aMarkerInTheContentIsFoundOnce(String content) {
        assertThat(of("stop", content.split("\\|"))).containsExactly("marker-in-content");
    }

    @Test
    void aParserMayShowItsMarkers() {
        Anomalies anomalies = new Anomalies();
        Choice choice = choice("<call>", anomalies, new Parsers("shown", true, (delta, out) -> out.content(delta.text())));
        choice.accept(new int[] {0}, 1, new EngineFinish("stop", ""));
        assertThat(choice.step().message().content()).hasToString("<call>");
        assertThat(anomalies.found()).isEmpty();
    }

    @Test
    void markersOfAParserThatDoesNotRunAreWords() {
        assertThat(of("stop", List.of(), List.of("<call>"))).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock = """
            stop   | =other   | +{}               | unknown-function
            stop   | =weather | +{"city": 1}      | arguments-off-schema
            stop   | =weather | +{}               | arguments-off-schema
            stop   | =weather | +{"city": "x"     | arguments-not-json
            stop   | =weather | text              | arguments-not-json
            stop   | =weather | +{'city': 'x'}    | arguments-not-json
            length | =weather | +{'city': 'x'}    | arguments-not-json
            stop   | =weather | +{"city": "x"}}   | arguments-not-json
            """)
    void aCallThatCannotBeMadeIsFound(String reason, String call, String arguments, String expected) {
        assertThat(of(reason, call, arguments)).containsExactly(expected);
    }

    @Test
    void argumentsThatALimitCutsAreTheLimitsDoing() {
        assertThat(of("length", "=weather", "+{\"city\": \"x")).isEmpty();
        assertThat(of("abort", "=weather")).isEmpty();
    }

    @Test
    void anEarlierCallMustBeWholeWhateverTheEnd() {
        assertThat(of("length", "=weather", "+{\"city\": \"x", "=weather")).containsExactly("arguments-not-json");
    }

    @Test
    void eachKindIsKeptOnce() {
        assertThat(of("stop", Collections.nCopies(50, "!odd").toArray(String[]::new))).containsExactly("odd");
    }

    @Test
    void aParserThatMakesUpKindsIsHeldToAFew() {
        String[] kinds = IntStream.range(0, 1000).mapToObj(i -> "!kind-" + i).toArray(String[]::new);
        assertThat(of("stop", kinds)).hasSizeLessThan(40).contains("kind-0", "kind-30", "other").doesNotContain("kind-40");
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", "Upper", "with space", "a\nb", "é", "this-kind-is-longer-than-any-kind-has-to-be-at-all"})
    void aKindThatIsWrittenInAnotherWayDoesNoHarm(String kind) {
        Anomalies anomalies = new Anomalies();
        Choice choice = choice("a", anomalies, new Parsers("odd", false, (delta, out) -> {
            out.anomaly(kind);
            out.content(delta.text());
        }));
        choice.accept(new int[] {0}, 1, null);
        assertThat(choice.step().message().content()).hasToString("a");
        assertThat(anomalies.found()).extracting(Anomaly::kind).containsExactly(kind == null ? "null" : "other");
    }

    @Test
    void aParserThatThrowsIsFound() {
        Anomalies anomalies = new Anomalies();
        Choice choice = choice("#", anomalies, SIGNS);
        assertThatThrownBy(() -> choice.accept(new int[] {0}, 1, null)).isInstanceOf(PluginFailedException.class);
        assertThat(anomalies.found())
                .containsExactly(new Anomaly(PluginKind.TOOL_PARSER, "signs", HostAnomaly.PARSER_EXCEPTION.kind()));
    }

    @Test
    void textThatAParserKeepsToItselfIsFound() {
        Anomalies anomalies = new Anomalies();
        Choice choice = choice("a", anomalies, new Parsers("silent", false, (delta, out) -> {}));
        choice.accept(new int[] {0}, 1, new EngineFinish("stop", ""));
        assertThat(anomalies.found()).extracting(Anomaly::kind).containsExactly("unaccounted-text");
    }

    private static Choice choice(String piece, Anomalies anomalies, ToolParserProvider parser) {
        return new Choice(
                Plans.message(
                        List.of(piece), new OutputPlan.Parsers(null, null, parser), Plans.request(ToolChoice.AUTO, true, true)),
                anomalies);
    }
}
