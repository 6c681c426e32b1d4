package io.glyphgate.proxy.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class SseReaderTest {
    private static final String STREAM = String.join(
            "",
            ": ping\n\n",
            "data: {\"a\":1}\r\n\r\n",
            "data:two\ndata: lines\n\n",
            "event: x\ndata: 是\n\n\n",
            "id: 7\n\n",
            "data: {\"b\":\"c\"}\r\r",
            "data: [DONE]\n\n");
    private static final List<String> EVENTS = List.of("{\"a\":1}", "two lines", "是", "{\"b\":\"c\"}", "[DONE]");

    @Property
    void readsTheSameInAnyCutting(@ForAll @IntRange(min = 1, max = 40) int size) throws IOException {
        assertThat(events(cut(STREAM.getBytes(StandardCharsets.UTF_8), size))).isEqualTo(EVENTS);
    }

    @Test
    void splitsInsideACharacterAndBetweenCarriageReturnAndLineFeed() throws IOException {
        List<byte[]> parts = new ArrayList<>();
        for (String part : List.of("646174613ae6", "98af0d", "0a0d", "0a")) {
            parts.add(HexFormat.of().parseHex(part));
        }
        assertThat(events(parts(parts))).containsExactly("是");
    }

    @Test
    void rawHoldsTheEventAsItCame() throws IOException {
        SseReader reader = new SseReader(cut("data: x\r\n\r\ndata: y\n\n".getBytes(StandardCharsets.UTF_8), 100), 1000);
        assertThat(reader.next()).isTrue();
        assertThat(new String(reader.raw(), reader.rawFrom(), reader.rawTo() - reader.rawFrom(), StandardCharsets.UTF_8))
                .isEqualTo("data: x\r\n\r\n");
        assertThat(reader.buffered()).isTrue();
        assertThat(reader.next()).isTrue();
        assertThat(reader.buffered()).isFalse();
        assertThat(reader.next()).isFalse();
    }

    @Test
    void anEndInsideAnEventIsNoEnd() throws IOException {
        SseReader reader = new SseReader(cut("data: x\n\ndata: {\"cut".getBytes(StandardCharsets.UTF_8), 3), 1000);
        assertThat(reader.next()).isTrue();
        assertThatThrownBy(reader::next).isInstanceOf(EOFException.class);
    }

    @Test
    void anEventOverTheLimitIsRefused() {
        byte[] large = ("data: " + "x".repeat(20_000) + "\n\n").getBytes(StandardCharsets.UTF_8);
        SseReader reader = new SseReader(new ByteArrayInputStream(large), 10_000);
        assertThatThrownBy(reader::next).isInstanceOf(MalformedJsonException.class).hasMessageContaining("10000");
    }

    private static List<String> events(InputStream in) throws IOException {
        SseReader reader = new SseReader(in, 1000);
        List<String> events = new ArrayList<>();
        while (reader.next()) {
            events.add(new String(
                    reader.data(), reader.dataFrom(), reader.dataTo() - reader.dataFrom(), StandardCharsets.UTF_8));
            assertThat(reader.done()).isEqualTo(events.getLast().equals("[DONE]"));
        }
        return events;
    }

    /** A stream that gives so many bytes a read. */
    private static InputStream cut(byte[] bytes, int size) {
        List<byte[]> parts = new ArrayList<>();
        for (int from = 0; from < bytes.length; from += size) {
            parts.add(Arrays.copyOfRange(bytes, from, Math.min(bytes.length, from + size)));
        }
        return parts(parts);
    }

    private static InputStream parts(List<byte[]> parts) {
        List<byte[]> left = new ArrayList<>(parts);
        return new InputStream() {
            @Override
            public int read() {
                throw new UnsupportedOperationException();
            }

            @Override
            public int read(byte[] to, int offset, int length) {
                if (left.isEmpty()) {
                    return -1;
                }
                byte[] part = left.removeFirst();
                System.arraycopy(part, 0, to, offset, part.length);
                return part.length;
            }
        };
    }
}
