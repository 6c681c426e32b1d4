package io.glyphgate.proxy.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.glyphgate.proxy.config.ConfigException;
import io.glyphgate.proxy.config.ConfigReader;
import io.glyphgate.spi.CombinedParserProvider;
import io.glyphgate.spi.ParserProvider;
import io.glyphgate.spi.ReasoningParserProvider;
import io.glyphgate.spi.ToolParserProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DescribedParsersTest {
    @TempDir
    private Path folder;

    private List<ParserProvider> read(String entries) throws IOException {
        Path file = Files.writeString(folder.resolve("f.yaml"), "parsers:\n" + entries.indent(2));
        return DescribedParsers.of(ConfigReader.readParsers(file, Map.of()));
    }

    /** What is said of entries, without the folder of the file. */
    private String refusal(String entries) {
        ConfigException e = catchThrowableOfType(ConfigException.class, () -> read(entries));
        assertThat(e).as("a refusal").isNotNull();
        return e.getMessage().replace(folder + "/", "");
    }

    @Test
    void anEntryIsAReasoningParserAToolParserOrBoth() throws IOException {
        List<ParserProvider> parsers = read("""
                a: { reasoning: {} }
                b: { tools: { calls: ["<call>"] } }
                c:
                  opened-reasoning: { opens: ["<t>"], closes: ["</t>"] }
                  tools: { calls: ["<call>"] }
                """);

        assertThat(parsers).extracting(ParserProvider::name).containsExactly("a", "b", "c", "c");
        assertThat(parsers.get(0)).isInstanceOf(ReasoningParserProvider.class);
        assertThat(parsers.get(0).markers()).containsExactlyInAnyOrder("<think>", "</think>");
        assertThat(parsers.get(1)).isInstanceOf(ToolParserProvider.class);
        assertThat(parsers.get(2)).isInstanceOf(ReasoningParserProvider.class);
        assertThat(parsers.get(3)).isInstanceOf(ToolParserProvider.class);
    }

    @Test
    void messagesAreACombinedParser() throws IOException {
        List<ParserProvider> parsers = read("""
                a:
                  messages:
                    start: "<s>"
                    role: model
                    channel: "<c>"
                    constrain: "<f>"
                    open: "<b>"
                    ends: ["<e>"]
                    recipient: "to="
                    functions: "functions."
                """);

        assertThat(parsers).singleElement().isInstanceOf(CombinedParserProvider.class);
    }

    @Test
    void aMarkerThatIsTwoThingsIsToldWithBothKeys() {
        assertThat(refusal("""
                a:
                  tools:
                    groups: ["<x>"]
                    calls:
                      - "<y>"
                      - "<x>"
                """))
                .isEqualTo("f.yaml:7: parsers.a.tools.calls[1].opener.marker: the marker \"<x>\" is that of parsers.a.tools.groups[0] too, "
                        + "and nothing tells them apart where both can stand; remove one, or make it longer");
        assertThat(refusal("a: { reasoning: { open: \"<t>\", close: \"<t>\" } }"))
                .contains("f.yaml:2: parsers.a.reasoning.close: the marker \"<t>\" is that of parsers.a.reasoning.open too");
        assertThat(refusal("a: { opened-reasoning: { opens: [\"<t>\"], closes: [\"<u>\", \"<t>\"] } }"))
                .contains("parsers.a.opened-reasoning.closes[1]: the marker \"<t>\" is that of "
                        + "parsers.a.opened-reasoning.opens[0] too");
    }

    @Test
    void argumentsAreWrittenInOneWay() {
        assertThat(refusal("""
                a:
                  tools:
                    calls:
                      - opener: "<x>"
                        arguments:
                          json-call: {}
                          json-value: {}
                """))
                .isEqualTo("f.yaml:6: parsers.a.tools.calls[0].arguments: json-call and json-value are given; arguments are written in one "
                        + "way, so keep one");
    }

    @Test
    void theNameIsSaidOnce() {
        assertThat(refusal("a: { tools: { calls: [{ opener: \"<x>\", name: { ends: [\">\"] } }] } }"))
                .contains("parsers.a.tools.calls[0].name.ends: means nothing where the arguments are a json-call, which holds the name");
        assertThat(refusal("a: { tools: { calls: [{ opener: \"<x>\", arguments: { json-value: {} } }] } }"))
                .contains("parsers.a.tools.calls[0].name.ends: missing; where the arguments are json-value, say what stands behind");
    }

    @Test
    void whatIsMissingIsTold() {
        assertThat(refusal("a: { tools: {} }")).contains("parsers.a.tools.calls: there is no marker that opens a call");
        assertThat(refusal("a: { opened-reasoning: { opens: [\"<t>\"] } }"))
                .contains("parsers.a.opened-reasoning: a reasoning format needs markers that open and markers that end it");
        assertThat(refusal("a: { tools: { calls: [\"<x>\"], thought-open: \"<t>\" } }"))
                .contains("thought-open needs thought-close");
    }

    @Test
    void allRefusalsAreToldAtOnce() {
        assertThat(refusal("""
                a: { tools: {} }
                b: { reasoning: { open: "<t>", close: "<t>" } }
                """).lines()).hasSize(2);
    }
}
