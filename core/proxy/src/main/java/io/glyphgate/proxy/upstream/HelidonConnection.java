package io.glyphgate.proxy.upstream;

import io.glyphgate.proxy.upstream.UpstreamException.Kind;
import io.helidon.common.buffers.DataReader;
import io.helidon.http.HeaderNames;
import io.helidon.http.HeaderValues;
import io.helidon.http.Method;
import io.helidon.webclient.api.ConnectionKey;
import io.helidon.webclient.api.HttpClientRequest;
import io.helidon.webclient.api.HttpClientResponse;
import io.helidon.webclient.api.TcpClientConnection;
import io.helidon.webclient.api.WebClient;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A connection on which Helidon's client speaks: one with TLS. */
final class HelidonConnection extends Connection {
    private static final System.Logger LOG = System.getLogger(HelidonConnection.class.getName());
    private static final String HTTP_1_1 = "http/1.1";

    private final WebClient client;
    private final URI server;
    private final TcpClientConnection connection;
    /** What is below TLS. */
    private final Socket raw;
    private volatile boolean answered;
    private @Nullable HttpClientResponse response;
    private @Nullable InputStream body;

    HelidonConnection(Connections.Target target, WebClient client, URI server, ConnectionKey key) {
        super(target);
        this.client = client;
        this.server = server;
        connection = TcpClientConnection.create(client, key, List.of(), this::answered, closed -> {});
        try {
            connection.connect();
        } catch (RuntimeException e) {
            HandshakeLimit.forget();
            throw e;
        }
        raw = HandshakeLimit.connected();
    }

    /** Helidon's word that the whole answer was read; the connection stays with its request for now. */
    private boolean answered(TcpClientConnection released) {
        answered = true;
        return true;
    }

    @Override
    void ask(Request request) {
        answered = false;
        HttpClientRequest asked = client.method(Method.create(request.method()))
                .protocolId(HTTP_1_1) // else Helidon asks each https server on a connection of its own, and takes that
                .uri(server.resolve(request.path()))
                .connection(connection)
                .readTimeout(request.limit());
        connection.readTimeout(request.limit());
        request.headers().forEach((name, value) -> asked.header(HeaderNames.create(name), value));
        asked.header(HeaderNames.ACCEPT_ENCODING, "identity"); // an answer is read, or passed on, as it comes
        byte[] json = request.body();
        HttpClientResponse given = json == null ? asked.request() : asked.header(HeaderValues.CONTENT_TYPE_JSON).submit(json);
        if (!hasOneLength(given)) {
            throw new UpstreamException(Kind.BROKEN, "The server says twice how long its answer is.", null);
        }
        response = given;
        body = given.entity().inputStream();
    }

    /** Whether the end of an answer is said once: a connection on which it is not might be used again in the middle of one. */
    private static boolean hasOneLength(HttpClientResponse response) {
        int lengths = response.headers().values(HeaderNames.CONTENT_LENGTH).size();
        int encodings = response.headers().values(HeaderNames.TRANSFER_ENCODING).size();
        return lengths + encodings <= 1;
    }

    @Override
    boolean closedEarly(UpstreamException e) {
        return e.getCause() instanceof DataReader.InsufficientDataAvailableException
                || (e.getCause() instanceof UncheckedIOException io
                        && io.getCause() != null
                        && String.valueOf(io.getCause().getMessage()).matches("Broken pipe|Connection reset.*"));
    }

    private HttpClientResponse answer() {
        if (response == null) {
            throw new IllegalStateException("there is no answer");
        }
        return response;
    }

    @Override
    int status() {
        return answer().status().code();
    }

    @Override
    Optional<String> header(String name) {
        return answer().headers().first(HeaderNames.create(name));
    }

    @Override
    int read(byte[] bytes, int offset, int length) throws IOException {
        if (body == null) {
            throw new IllegalStateException("there is no answer");
        }
        return body.read(bytes, offset, length);
    }

    @Override
    boolean ended() {
        return answered;
    }

    @Override
    boolean settle() {
        if (response != null) {
            response.close();
        }
        return answered && connection.isConnected() && connection.reader().available() == 0;
    }

    @Override
    void abandon() {
        try {
            raw.close(); // closing TLS would wait for who is writing
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "a connection was not closed cleanly", e);
        }
    }

    @Override
    void close() {
        if (response != null) {
            response.close();
        }
        connection.closeResource();
    }
}
