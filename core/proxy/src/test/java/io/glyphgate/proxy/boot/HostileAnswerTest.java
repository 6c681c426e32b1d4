package io.glyphgate.proxy.boot;

import static io.glyphgate.proxy.boot.Stage.body;
import static io.glyphgate.proxy.boot.Stage.eventually;
import static io.glyphgate.proxy.boot.Stage.pool;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Answers of servers whose end can be seen in two places: what comes behind such an answer is never taken for the answer of the
 * next request, because its connection is not used again.
 */
class HostileAnswerTest {
    private static final String GOOD =
            "{\"request_id\":\"good\",\"choices\":[{\"index\":0,\"token_ids\":[1],\"finish_reason\":\"stop\"}]}";
    private static final String EVIL = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 4\r\n\r\nEVIL";

    @TempDir
    private Path folder;

    private Stage stage;
    private ServerSocket server;
    private final AtomicInteger accepted = new AtomicInteger();
    private volatile String first = "";

    @BeforeEach
    void start() throws IOException {
        stage = new Stage(folder);
        server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::accept);
        stage.proxy(pool("p", "none", URI.create("http://127.0.0.1:" + server.getLocalPort())));
    }

    @AfterEach
    void stop() throws IOException {
        stage.close();
        server.close();
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket socket = server.accept();
                int number = accepted.incrementAndGet();
                Thread.ofVirtual().start(() -> serve(socket, number));
            } catch (IOException e) {
                return; // closed
            }
        }
    }

    /** Answers the first request of the first connection in a hostile way, and all others well. */
    private void serve(Socket socket, int number) {
        try (socket;
                RawConnection connection = new RawConnection(socket)) {
            for (int i = 0; connection.readRequest(); i++) {
                connection.send(number == 1 && i == 0 ? first : answer(GOOD));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String answer(String body) {
        return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: "
                + body.getBytes(StandardCharsets.UTF_8).length + "\r\n\r\n" + body;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Length: 2|Transfer-Encoding: chunked||0||",
                "Transfer-Encoding: chunked|Content-Length: 2||2|{}|0||",
                "Content-Length: 2|Content-Length: 6||{}",
                "Content-Length: 2, 6||{}",
                "Content-Length: 2|Content-Length: 2||{}",
                "Transfer-Encoding: chunked|Transfer-Encoding: chunked||2|{}|0||",
                "Transfer-Encoding: identity, chunked||2|{}|0||",
                "Content-Length: 2||{}",
                "Transfer-Encoding: chunked||2|{}|0||",
                "Transfer-Encoding: chunked||2|{}|0|X-Trailer: 1||",
            })
    void whatComesBehindAnAnswerIsNotTheNextOne(String head) throws Exception {
        // in the table {} of 2 bytes stands for a good answer
        String hostile = head.replace("{}", GOOD)
                .replace("Length: 2", "Length: " + GOOD.length())
                .replace("|2|", "|" + Integer.toHexString(GOOD.length()) + "|")
                .replace("|", "\r\n");
        first = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n" + hostile + EVIL;
        HttpResponse<String> answer = stage.post(body("\"zzz\":1"));
        assertThat(answer.body()).doesNotContain("EVIL");
        for (int i = 0; i < 3; i++) {
            HttpResponse<String> next = stage.post(body("\"zzz\":1"));
            assertThat(next.statusCode()).isEqualTo(200);
            assertThat(next.body()).isEqualTo(GOOD);
        }
        assertThat(accepted.get()).isEqualTo(2); // the hostile connection, and one that was used again
    }

    @Test
    void anOrdinaryConnectionIsUsedAgain() throws Exception {
        first = answer(GOOD);
        for (int i = 0; i < 3; i++) {
            assertThat(stage.post(body("\"zzz\":1")).body()).isEqualTo(GOOD);
        }
        eventually("one connection served all", () -> accepted.get() == 1);
    }
}
