package io.glyphgate.proxy.upstream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.ProtocolException;
import java.nio.charset.StandardCharsets;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BodyDecoderTest {
    private static final String CHUNKS = "5\r\nHello\r\n00a;x=\"y\"\r\n, my frien\r\nB\r\nd\r\n0\r\n\r\n!!!\r\n0\r\nTrailer: x\r\nAnother: y\r\n\r\n";
    private static final String BODY = "Hello, my friend\r\n0\r\n\r\n!!!";

    /** Everything that is found in pieces of one size, given in pieces of another, with as much room as a third. */
    private static String decode(BodyDecoder decoder, String encoded, int size, int room) throws ProtocolException {
        byte[] bytes = encoded.getBytes(StandardCharsets.ISO_8859_1);
        byte[] into = new byte[room];
        StringBuilder found = new StringBuilder();
        for (int from = 0; from < bytes.length && !decoder.ended(); from += size) {
            int at = from;
            int end = Math.min(bytes.length, from + size);
            while (at < end && !decoder.ended()) {
                int count = decoder.decode(bytes, at, end, into, 0, room);
                assertThat(count > 0 || decoder.at() == end || decoder.ended()).as("it goes on").isTrue();
                at = decoder.at();
                found.append(new String(into, 0, count, StandardCharsets.ISO_8859_1));
            }
        }
        assertThat(decoder.decode(bytes, bytes.length, bytes.length, into, 0, room)).isZero();
        return found.toString();
    }

    @Property
    void findsTheSameInAnyCutting(@ForAll @IntRange(min = 1, max = 90) int size, @ForAll @IntRange(min = 1, max = 40) int room)
            throws ProtocolException {
        BodyDecoder chunked = BodyDecoder.chunked();
        assertThat(decode(chunked, CHUNKS, size, room)).isEqualTo(BODY);
        assertThat(chunked.ended()).isTrue();
        BodyDecoder ofLength = BodyDecoder.ofLength(BODY.length());
        assertThat(decode(ofLength, BODY + "more", size, room)).isEqualTo(BODY);
        assertThat(ofLength.ended()).isTrue();
    }

    @Test
    void leavesWhatIsBehindTheBody() throws ProtocolException {
        byte[] bytes = "2\r\n{}\r\n0\r\n\r\nHTTP/1.1 200 OK".getBytes(StandardCharsets.ISO_8859_1);
        BodyDecoder decoder = BodyDecoder.chunked();
        assertThat(decoder.decode(bytes, 0, bytes.length, new byte[100], 0, 100)).isEqualTo(2);
        assertThat(decoder.ended()).isTrue();
        assertThat(decoder.at()).isEqualTo("2\r\n{}\r\n0\r\n\r\n".length());
    }

    @Test
    void aBodyMayEndWithItsConnection() throws ProtocolException {
        BodyDecoder decoder = BodyDecoder.untilEnd();
        assertThat(decode(decoder, BODY, 3, 2)).isEqualTo(BODY);
        assertThat(decoder.ended()).isFalse();
        assertThat(decoder.endedWithConnection()).isTrue();
        assertThat(BodyDecoder.chunked().endedWithConnection()).isFalse();
        assertThat(BodyDecoder.ofLength(1).endedWithConnection()).isFalse();
        assertThat(BodyDecoder.ofLength(0).ended()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "x\r\n", "\r\n", "-1\r\n", "+1\r\n", "0x1\r\n", "123456789\r\n", "1\n{", "1\r{", "1 \n", "1\r\nab", "1\r\na\n", "1\r\na\rb",
                "0\r\nTrailer\n", "0\r\n\rx", "{\"choices\"", "１\r\n"
            })
    void whatIsNoChunkIsRefused(String encoded) {
        for (int size : new int[] {1, 100}) {
            assertThatThrownBy(() -> decode(BodyDecoder.chunked(), encoded, size, 10)).isInstanceOf(ProtocolException.class);
        }
    }

    @Test
    void whatCameBeforeGarbageIsGivenOut() throws ProtocolException {
        byte[] bytes = "2\r\n{}\r\ngarbage".getBytes(StandardCharsets.ISO_8859_1);
        BodyDecoder decoder = BodyDecoder.chunked();
        assertThat(decoder.decode(bytes, 0, bytes.length, new byte[100], 0, 100)).isEqualTo(2);
        assertThatThrownBy(() -> decoder.decode(bytes, decoder.at(), bytes.length, new byte[100], 0, 100))
                .isInstanceOf(ProtocolException.class);
    }

    @Test
    void whatNobodyReadsHasALimit() {
        String much = "x".repeat(10_000);
        for (String encoded : new String[] {"1;" + much + "\r\n", "0\r\n" + much + "\r\n", "0\r\n" + "a: b\r\n".repeat(5_000)}) {
            assertThatThrownBy(() -> decode(BodyDecoder.chunked(), encoded, 100, 10)).isInstanceOf(ProtocolException.class);
        }
    }
}
