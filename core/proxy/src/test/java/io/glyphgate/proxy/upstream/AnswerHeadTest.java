package io.glyphgate.proxy.upstream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.ProtocolException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AnswerHeadTest {
    private static AnswerHead read(String text) throws ProtocolException {
        byte[] bytes = text.replace("|", "\r\n").getBytes(StandardCharsets.ISO_8859_1);
        int end = AnswerHead.end(bytes, 0, bytes.length);
        assertThat(end).isPositive();
        return AnswerHead.read(bytes, end);
    }

    @Test
    void readsTheStatusAndTheHeaders() throws ProtocolException {
        AnswerHead head = read("HTTP/1.1 429 Too Many Requests|Retry-After:  3 |x: |Content-Length: 12||{}");
        assertThat(head.status()).isEqualTo(429);
        assertThat(head.persistent()).isTrue();
        assertThat(head.header("retry-after")).contains("3");
        assertThat(head.header("X")).contains("");
        assertThat(head.header("y")).isEmpty();
    }

    @Test
    void endsAtTheEmptyLine() {
        byte[] bytes = "HTTP/1.1 200 OK\r\na: b\r\n\r\nbody\r\n\r\n".getBytes(StandardCharsets.ISO_8859_1);
        int end = "HTTP/1.1 200 OK\r\na: b\r\n\r\n".length();
        assertThat(AnswerHead.end(bytes, 0, bytes.length)).isEqualTo(end);
        assertThat(AnswerHead.end(bytes, end - 1, end)).isEqualTo(end); // the last byte came alone
        assertThat(AnswerHead.end(bytes, 0, end - 1)).isEqualTo(-1);
    }

    @ParameterizedTest
    @CsvSource({
        "HTTP/1.1 200 OK||,true",
        "HTTP/1.1 200||,true",
        "HTTP/1.1 200 OK|Connection: keep-alive||,true",
        "HTTP/1.1 200 OK|connection: x; Close||,true",
        "'HTTP/1.1 200 OK|connection: x, Close||',false",
        "HTTP/1.0 200 OK||,false"
    })
    void saysWhetherTheConnectionStays(String text, boolean persistent) throws ProtocolException {
        assertThat(read(text).persistent()).isEqualTo(persistent);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/2 200 OK||", "HTTP/1.1 20||", "HTTP/1.1 2000 OK||", "HTTP/1.1 2x0 OK||", "HTTP/1.1  200||", "ICY 200 OK||", "||",
                "HTTP/1.1 200 OK|a b: c||", "HTTP/1.1 200 OK|a : c||", "HTTP/1.1 200 OK|: c||", "HTTP/1.1 200 OK|no header||",
                "HTTP/1.1 200 OK|a: b| folded||", "HTTP/1.1 200 OK|a: b\nc: d||"
            })
    void whatIsNoHeadIsRefused(String text) {
        assertThatThrownBy(() -> AnswerHead.read(text.replace("|", "\r\n").getBytes(StandardCharsets.ISO_8859_1),
                        text.replace("|", "\r\n").length()))
                .isInstanceOf(ProtocolException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Length: 2|Transfer-Encoding: chunked", "Content-Length: 2|content-length: 2", "Content-Length: 2, 6",
                "Content-Length: -1", "Content-Length: +1", "Content-Length:", "Content-Length: 1e3", "Content-Length: 12345678901",
                "Transfer-Encoding: identity, chunked", "Transfer-Encoding: gzip", "Transfer-Encoding: chunked|Transfer-Encoding: chunked"
            })
    void anEndThatIsNotPlainIsRefused(String lengths) throws ProtocolException {
        AnswerHead head = read("HTTP/1.1 200 OK|" + lengths + "||");
        assertThatThrownBy(head::decoder).isInstanceOf(ProtocolException.class);
    }

    @Test
    void saysHowTheBodyEnds() throws ProtocolException {
        assertThat(read("HTTP/1.1 204 No Content||").decoder().ended()).isTrue();
        assertThat(read("HTTP/1.1 200 OK|Content-Length: 0||").decoder().ended()).isTrue();
        assertThat(read("HTTP/1.1 200 OK|Content-Length: 1||").decoder().ended()).isFalse();
        assertThat(read("HTTP/1.1 200 OK||").decoder().endedWithConnection()).isTrue();
        assertThat(read("HTTP/1.1 200 OK|Transfer-Encoding: Chunked||").decoder().endedWithConnection()).isFalse();
        assertThat(read("HTTP/1.1 100 Continue||").isInterim()).isTrue();
    }
}
