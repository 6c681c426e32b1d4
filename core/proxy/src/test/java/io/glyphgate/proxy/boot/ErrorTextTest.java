package io.glyphgate.proxy.boot;

import static io.glyphgate.proxy.boot.Stage.body;
import static org.assertj.core.api.Assertions.assertThat;

import io.glyphgate.proxy.simulator.Fault;
import io.glyphgate.proxy.simulator.Script;
import io.glyphgate.proxy.simulator.SimulatedServer;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whatever fails, no byte that a client gets tells of addresses, files, classes or exceptions. */
class ErrorTextTest {
    private static final List<Pattern> NEVER = List.of(
            Pattern.compile("127\\.0\\.0\\.1"),
            Pattern.compile("localhost"),
            Pattern.compile("https?://"),
            Pattern.compile("\\b(java|javax|jdk|sun|io\\.helidon|io\\.glyphgate|com\\.fasterxml|ai\\.djl|org\\.yaml)\\.[a-z]"),
            Pattern.compile("[A-Za-z]+Exception\\b"),
            Pattern.compile("\\bat [\\w.$]+\\("),
            Pattern.compile("\\.java:\\d+"),
            Pattern.compile("/(tmp|home|root|usr|opt|var|work|etc)/"),
            Pattern.compile("\\.(jar|yaml|class)\\b"),
            Pattern.compile("Connection refused|Broken pipe|Connection reset|PKIX|SSL"),
            Pattern.compile("helidon", Pattern.CASE_INSENSITIVE));

    @TempDir
    private Path folder;

    private Stage stage;
    private SimulatedServer server;
    private final List<String> seen = new ArrayList<>();

    @BeforeEach
    void start() {
        stage = new Stage(folder);
        server = stage.server(Stage.tokensOnly());
    }

    @AfterEach
    void stop() {
        stage.close();
    }

    private void ask(String body, String... headers) throws Exception {
        HttpResponse<String> answer = stage.post(body, headers);
        seen.add(answer.statusCode() + " " + answer.headers().map() + "\n" + answer.body());
    }

    private void raw(String request) throws Exception {
        try (RawConnection connection = new RawConnection(stage.uri().getPort())) {
            seen.add(connection.send(request).readToEnd());
        }
    }

    private void nothingIsTold(int atLeast) {
        assertThat(seen).hasSizeGreaterThanOrEqualTo(atLeast);
        for (String answer : seen) {
            for (Pattern never : NEVER) {
                assertThat(answer).doesNotContainPattern(never);
            }
        }
    }

    @Test
    void whenServersFail() throws Exception {
        stage.proxy(Stage.pool("bulk", "none", server.uri()) + Stage.pool("chat", "proxy", server.uri()));
        for (String fault : List.of(
                "close", "reset", "garbage-head", "html", "status@0=500", "status@0=429", "status@0=400", "close@1", "reset@2",
                "garbage@1", "truncate@1")) {
            List<Fault> faults;
            try {
                faults = Fault.parse(fault);
            } catch (IllegalArgumentException e) {
                continue; // the simulator has no such fault; the number below says if it lost many
            }
            for (String fields : List.of("\"zzz\":1", "\"stream\":true", "\"output_mode\":\"text\"",
                    "\"output_mode\":\"text\",\"stream\":true")) {
                server.direct(request -> Script.tokens(Stage.encode("one two three")).failing(faults));
                try {
                    ask(body(fields));
                } catch (IOException e) {
                    assertThat(e).isNotNull(); // a stream of tokens is cut where its server cuts it
                }
            }
        }
        nothingIsTold(30);
    }

    @Test
    void whenNobodyIsThere() throws Exception {
        stage.proxy(Stage.pool("dead", "none", Stage.nobody())
                + Stage.pool("dead-chat", "proxy", Stage.nobody())
                + "plain-tls: { model: m, tokenizer: none, endpoints: [ \"https://127.0.0.1:" + server.port() + "\" ] }\n");
        for (String pool : List.of("dead", "plain-tls", "no-such-pool")) {
            ask(body(""), "X-Glyphgate-Pool", pool);
            ask(body("\"stream\":true"), "X-Glyphgate-Pool", pool);
        }
        ask(body("\"output_mode\":\"text\""));
        nothingIsTold(7);
    }

    @Test
    void whenRequestsAreWrong() throws Exception {
        stage.proxy(Stage.pool("bulk", "none", server.uri()) + Stage.pool("chat", "proxy", server.uri()));
        for (String body : List.of(
                "", "{", "[]", "null", "{\"model\":1}", "{\"model\":\"m\",\"token_ids\":[1e400]}", "\u0000", "{\"a\":\"\\ud800\"}",
                "{\"model\":\"m\",\"token_ids\":\"x\"}", "{\"model\":\"m\",\"token_ids\":[-1]}", "[".repeat(5000),
                "{\"model\":\"../../x\",\"token_ids\":[1]}", body("\"output_mode\":\"nothing\""),
                body("\"output_mode\":\"derender\",\"parse_context\":{\"tools\":5}"),
                body("\"sampling_params\":7").replace("\"sampling_params\":{},", ""))) {
            ask(body);
        }
        for (String path : List.of("/tokenize", "/detokenize", "/v1/tokenizer", "/v2/decode", "/v1/split_text", "/abort_requests")) {
            for (String body : List.of("", "{", "{\"tokens\":[99999999]}", "{\"messages\":[{\"role\":5}]}", "{\"text\":{}}")) {
                HttpResponse<String> answer = stage.post(stage.uri(), path, body);
                seen.add(answer.body());
            }
        }
        for (String request : List.of(
                "GET /nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
                "GET /v1/models?model=%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
                "GET /v1/info?model=%ff%00 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
                "G\u0001T / HTTP/1.1\r\nHost: x\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: [::zz\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: x\r\nX: " + "y".repeat(20_000) + "\r\nConnection: close\r\n\r\n",
                "GET /" + "y".repeat(5000) + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
                "POST /tokenize HTTP/1.1\r\nHost: x\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}",
                "POST /tokenize HTTP/1.1\r\nHost: x\r\nContent-Type: ///\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}",
                "POST /tokenize HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
                "\u0016\u0003\u0001\r\n\r\n")) {
            raw(request);
        }
        nothingIsTold(50);
    }
}
