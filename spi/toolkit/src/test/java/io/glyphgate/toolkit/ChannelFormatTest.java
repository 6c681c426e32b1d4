package io.glyphgate.toolkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.TokenDelta;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A description of another shape than the one that ships, so that the engine does not fit that one alone. */
class ChannelFormatTest {
    private static final ChannelFormat LETTERS = new ChannelFormat(
            "<msg>", "model", "<in>", "<as>", "<is>", List.of("<end>", "<done>"), "for:", "fn/", Set.of("me"),
            Set.of("dream"), Set.of("say"), Optional.empty());
    private static final ChannelFormat.Compiled COMPILED = LETTERS.compile();

    private static String parse(String opened, String output) {
        String whole = parse(opened, output, Math.max(1, output.length()));
        for (int size = 1; size < output.length(); size++) {
            assertThat(parse(opened, output, size)).as("in pieces of %d", size).isEqualTo(whole);
        }
        return whole;
    }

    private static String parse(String opened, String output, int size) {
        ChannelStage parser = new ChannelStage(COMPILED, opened);
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
            value = {
                "<in>dream<is>a<end> <msg>model<in>say<is>b<done> | reasoning:a content:b",
                "<in>say for:fn/f <as>json<is>{}<end><msg>model for:fn/g<in>dream<is>1 | call:f call:g ¦{}¦1",
                "for:fn/f<in>say<is>2 | call:f ¦2",
                "<in>say for:fn/<is>a<end><in>say for:me<is>b<end><in>say<is>c | content:c",
                "<in>say xfor:fn/f<is>a | content:a",
                "<in>say<is>a <end> b <msg> c <msg>model d<end> | content:a <end> b <msg> c <msg>model d",
                "<in>dream<is>a<msg>model<msg>model<in>say<is>b | reasoning:a<msg>model content:b",
                "model for:fn/f<in>say<is>1<done> | call:f ¦1",
                "<in>say for:f<is>1<done><in>say for:me.f<is>2<end><in>say for:model<is>3<end> | call:f ¦1",
                "model<in>dream<is>a<end>model<in>say<is>b | reasoning:a content:b",
                "<in>dream<is>a<end><done> <end><in>say<is>b<end>model | reasoning:a content:bmodel",
                "<in>say for:fn/f<is>1<done><end><msg>model<in>say<is>b | call:f content:b ¦1",
                "models <in> | content:models <in>",
                "for: nothing | content:for: nothing",
            })
    void messages(String output, String expected) {
        assertThat(parse("model", output)).isEqualTo(expected.replace('¦', '|'));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "model<in> | dream<is>a | reasoning:a",
                "model<in>dream | <is>a | reasoning:a",
                "model<in>dream<is>b | a<end> | reasoning:a",
                "model<in>say for:fn/f<is>{ | }<end><in>say<is>a | content:a",
                "model for:fn/f | <in>say<is>{} | call:f ¦{}",
                "model for:fn/f | <msg>model<in>say<is>a | content:a",
                "user<is>b | a | content:a",
            })
    void thePromptMayHoldTheStartOfAMessage(String opened, String output, String expected) {
        assertThat(parse(opened, output)).isEqualTo(expected.replace('¦', '|'));
    }

    @Test
    void aHeaderThatNeverEndsIsText() {
        String output = "<in>" + "x".repeat(1000) + "<is>a";
        assertThat(parse("", output, 7)).isEqualTo("content:<in>" + "x".repeat(1000) + "a");
        assertThat(parse("", output, 2000)).isEqualTo(parse("", output, 7));
    }

    @Test
    void tellsItsMarkers() {
        assertThat(LETTERS.markers()).containsExactlyInAnyOrder("<msg>", "<in>", "<as>", "<is>", "<end>", "<done>");
    }

    @Test
    void aDescriptionThatCannotWorkIsRefused() {
        assertThatThrownBy(() -> new ChannelFormat(
                        "<msg>", "model", "<in>", "<as>", "<is>", List.of(), "for:", "fn/", Set.of(), Set.of(), Set.of(),
                        Optional.empty()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("marker that ends a body");
    }
}
