package io.glyphgate.toolkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.TokenDelta;
import io.glyphgate.spi.Tool;
import io.glyphgate.spi.ToolOpener;
import io.glyphgate.spi.ToolParser;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Descriptions of other shapes than those that ship, so that the engine does not fit those alone. */
class CallFormatTest {
    /** Attributes with quotes, calls in groups only. */
    private static final CallFormat QUOTED = CallFormat.of(
                    new Arguments.Tagged("<parameter name=\"", "\">", "</parameter>", false))
            .group("<calls>", "</calls>")
            .call("<invoke name=\"", List.of(), "</invoke>")
            .nameEnd("\">")
            .build();
    /** A name that a marker ends, without groups. */
    private static final CallFormat BARE = CallFormat.of(new Arguments.Tagged("<k>", "</k>", "</v>", false))
            .call("<call>", List.of(), "</call>")
            .nameEnd("<with>")
            .whiteSpace(CallFormat.WhiteSpace.KEPT)
            .build();
    /** Objects with other keys, in a group. */
    private static final CallFormat OBJECTS = CallFormat.of(new Arguments.JsonCall("function", List.of("input")))
            .group("[[", "]]")
            .call("call:", List.of("{"), ";")
            .build();

    /** One marker for two kinds of calls, each with its own name, arguments and white space. */
    private static final CallFormat KINDS = CallFormat.of(new Arguments.Tagged("<k>", "</k>", "</v>", false))
            .call("@", List.of(), ";")
            .names(CallFormat.Names.WORD)
            .nameEnd("=")
            .idMark("#")
            .call(new CallKind(
                    new ToolOpener("@", List.of("{")),
                    CallName.NONE,
                    new Arguments.JsonCall("name", List.of("args"), true),
                    CallFormat.WhiteSpace.KEPT))
            .build();

    /** A call only where the output starts, and one of its kinds only where nothing visible stands before it. */
    private static final CallFormat AT_THE_START = CallFormat.of(new Arguments.JsonCall("name", List.of("args")))
            .call("call:", List.of("{"), ";")
            .first("@", List.of("{"))
            .onlyFirst()
            .build();

    private static String parse(CallFormat format, String output) {
        String whole = parse(format, output, Math.max(1, output.length()));
        for (int size = 1; size < output.length(); size++) {
            assertThat(parse(format, output, size)).as("in pieces of %d", size).isEqualTo(whole);
        }
        return whole;
    }

    private static String parse(CallFormat format, String output, int size) {
        List<Tool> tools = List.of(Tool.of("f", Map.of("properties", Map.of("n", Map.of("type", "integer")))));
        ToolParser parser = new CallStage(format, new CallLiterals(format), tools);
        TestSink sink = new TestSink();
        for (int at = 0; at < output.length(); at += size) {
            parser.accept(TokenDelta.of(output.substring(at, Math.min(output.length(), at + size))), sink);
        }
        parser.finish(FinishReason.STOP, sink);
        return sink.toString();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "<calls><invoke name=\"f\"><parameter name=\"n\">3</parameter></invoke></calls> | call:f ¦{\"n\": 3}",
                "a <calls> <invoke name=\"f\"></invoke> <invoke name=\"g\"></invoke></calls> b"
                        + " | content:a call:f call:g content: b ¦{}¦{}",
                "<invoke name=\"f\"></invoke> | content:<invoke name=\"f\"></invoke>",
                "<calls> none </calls> | content:<calls> none </calls>",
                "<calls><invoke name=\"f\"></invoke>x</calls>y</calls> | call:f content:xy</calls> ¦{}",
                "<calls><invoke name=\" \"></invoke></calls> | content:<calls><invoke name=\" \"></invoke></calls>",
            })
    void callsInGroups(String output, String expected) {
        assertThat(parse(QUOTED, output)).isEqualTo(expected.replace('¦', '|'));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "`a <call>f<with><k>x</k>1</v><k>n</k>2</v></call> b` | `content:a  call:f content: b ¦{\"x\": \"1\","
                        + " \"n\": 2}`",
                "<call>unknown<with></call> | call:unknown ¦{}",
                "<call>f<wit | content:<call>f<wit",
                "<call>f<other></call> | call:f ¦{}",
            })
    void callsWithoutGroups(String output, String expected) {
        assertThat(parse(BARE, output)).isEqualTo(expected.replace('¦', '|'));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "[[call:{\"function\": \"f\", \"input\": {\"a\": 1}}; call:{\"input\": 2, \"function\": \"g\"};]]x"
                        + " | call:f call:g content:x ¦{\"a\": 1}¦2",
                "[[call:{\"function\": \"f\"}]] | call:f ¦{}",
                "[[ call: me ]] | content:[[ call: me ]]",
                "[1]] | content:[1]]",
            })
    void objectsInGroups(String output, String expected) {
        assertThat(parse(OBJECTS, output)).isEqualTo(expected.replace('¦', '|'));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "a @{\"name\": \"f\", \"args\": [1]}; b @g#7=<k>x</k>1</v>;c"
                        + " | `content:a  call:f content: b call:g content:c ¦[1]¦{\"x\": \"1\"}`",
                "@ @@{\"name\": \"f\", \"args\": \"{\\\"a\\\": 1}\"}; | call:f ¦{\"a\": 1}",
                "@{\"args\": null, \"name\": \"f\"}; | call:f ¦{}",
                "me @ home | content:me @ home",
                "@two words=; | content:@two words=;",
                "@g; | content:@g;",
                "@g | content:@g",
                "@{\"args\": 1}; | content:@{\"args\": 1};",
            })
    void kindsOfCallsBehindOneMarker(String output, String expected) {
        assertThat(parse(KINDS, output)).isEqualTo(expected.replace('¦', '|'));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "@{\"name\": \"f\"} | call:f ¦{}",
                "call:{\"name\": \"f\"}; | call:f ¦{}",
                "` @{\"name\": \"f\"}` | `content: @{\"name\": \"f\"}`",
                "` \n call:{\"name\": \"f\"};` | `content: \n call:{\"name\": \"f\"};`",
            })
    void whiteSpaceBeforeACallThatMustStartTheOutputMakesItText(String output, String expected) {
        assertThat(parse(AT_THE_START, output)).isEqualTo(expected.replace('¦', '|'));
    }

    @Test
    void kindsThatNothingTellsApartAreRefused() {
        CallFormat twice = CallFormat.of(new Arguments.JsonValue())
                .nameEnd("=")
                .call("@", List.of("a"))
                .call("@", List.of("a"))
                .build();
        assertThatThrownBy(twice::compile).isInstanceOf(IllegalArgumentException.class);
        CallFormat.Builder unguarded = CallFormat.of(new Arguments.JsonValue())
                .nameEnd("=")
                .call("@", List.of())
                .call("@", List.of());
        assertThatThrownBy(unguarded::build)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("@");
    }

    @Test
    void aNameThatNeverEndsIsText() {
        String output = "<call>" + "x".repeat(1000) + "<with></call>";
        assertThat(parse(BARE, output, 7)).isEqualTo("content:" + output);
    }

    @Test
    void tellsItsMarkersAndOpeners() {
        assertThat(QUOTED.openers()).containsExactly(new ToolOpener("<calls>", List.of("<invoke name=\"")));
        assertThat(BARE.openers()).containsExactly(new ToolOpener("<call>", List.of()));
        assertThat(QUOTED.markers())
                .containsExactlyInAnyOrder(
                        "<calls>",
                        "</calls>",
                        "<invoke name=\"",
                        "</invoke>",
                        "\">",
                        "<parameter name=\"",
                        "</parameter>");
    }

    @Test
    void aDescriptionThatCannotWorkIsRefused() {
        CallFormat.Builder nameless =
                CallFormat.of(new Arguments.Tagged("<k>", ">", "</k>", false)).call("<c>", List.of(), "</c>");
        assertThatThrownBy(nameless::build)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("must give the name");
        CallFormat.Builder named = CallFormat.of(new Arguments.JsonCall("name", List.of("arguments")))
                .call("<c>", List.of(), "</c>")
                .nameEnd(">");
        assertThatThrownBy(named::build).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(CallFormat.of(new Arguments.JsonCall("name", List.of()))::build)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("marker that opens a call");
        CallFormat twice = CallFormat.of(new Arguments.JsonCall("name", List.of("arguments")))
                .call("<c>", List.of(), "<c>")
                .build();
        assertThatThrownBy(twice::compile)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("CALL_OPEN and CALL_CLOSE");
    }
}
