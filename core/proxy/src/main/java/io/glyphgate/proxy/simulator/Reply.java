package io.glyphgate.proxy.simulator;

import io.glyphgate.proxy.simulator.Connection.OverException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/** Writes the answer to one request as HTTP/1.1, or as what the faults make of it. */
final class Reply {
    private static final Map<Integer, String> REASONS = Map.of(
            200, "OK",
            400, "Bad Request",
            403, "Forbidden",
            404, "Not Found",
            405, "Method Not Allowed",
            429, "Too Many Requests",
            500, "Internal Server Error",
            501, "Not Implemented",
            502, "Bad Gateway",
            503, "Service Unavailable");

    private final Connection connection;
    private final OutputStream out;
    private final ActiveRequest active;
    private final boolean keepAlive;
    private List<Fault> faults = List.of();
    private Runnable beforeBody = () -> {};
    private boolean started;
    private boolean chunked;
    private int pieces;
    private ByteArrayOutputStream compressed = new ByteArrayOutputStream();
    private @Nullable GZIPOutputStream compressor;

    Reply(Connection connection, ActiveRequest active, boolean keepAlive) {
        this.connection = connection;
        this.out = connection.out();
        this.active = active;
        this.keepAlive = keepAlive;
    }

    /** Sets how the answer goes wrong. Called before it starts. */
    void failing(List<Fault> ways) {
        faults = ways;
    }

    /** Sets what happens before the body of an answer that is complete is sent, behind faults that come before it. */
    void beforeBody(Runnable action) {
        beforeBody = action;
    }

    /** Whether a fault of this kind was asked for; null if not. */
    @Nullable Fault fault(Fault.Kind kind) {
        for (Fault fault : faults) {
            if (fault.kind() == kind) {
                return fault;
            }
        }
        return null;
    }

    /** Sends an answer that is complete. */
    void send(int status, String contentType, String body, Map<String, String> headers) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        if (fault(Fault.Kind.GZIP) != null) {
            bytes = gzip(bytes);
        }
        Fault wrongLength = fault(Fault.Kind.WRONG_LENGTH);
        long surplus = wrongLength == null ? 0 : wrongLength.value() == 0 ? 10 : wrongLength.value();
        head(status, contentType, headers, "content-length: " + (bytes.length + surplus) + "\r\n");
        if (bytes.length > 0) {
            piece(bytes);
        }
        out.flush();
        if (surplus != 0) {
            throw new OverException("promised more than was sent");
        }
        sent();
    }

    /** Starts a stream of chunks. */
    void startStream(String contentType) throws IOException {
        chunked = true;
        if (fault(Fault.Kind.GZIP) != null) {
            compressor = new GZIPOutputStream(compressed, true);
        }
        head(200, contentType, Map.of(), "transfer-encoding: chunked\r\n");
        out.flush();
    }

    /** Sends the next chunk of a stream. */
    void chunk(byte[] bytes) throws IOException {
        if (compressor == null) {
            piece(bytes);
        } else {
            compressor.write(bytes);
            compressor.flush();
            piece(takeCompressed());
        }
        out.flush();
    }

    /** Ends a stream. */
    void endStream() throws IOException {
        if (compressor != null) {
            compressor.finish();
            write(takeCompressed());
        }
        ascii("0\r\n\r\n");
        out.flush();
        sent();
    }

    private void head(int status, String contentType, Map<String, String> headers, String framing) throws IOException {
        for (Fault fault : faults) {
            if (fault.after() == Fault.BEFORE_HEAD) {
                strike(fault, new byte[0]);
            }
        }
        if (fault(Fault.Kind.GARBAGE_HEAD) != null) {
            ascii("\u0001\u0002 garbage instead of a status line\r\n\r\n");
            out.flush();
            throw new OverException("garbage");
        }
        if (started) {
            throw new OverException("failed after the answer had begun");
        }
        started = true;
        ascii("HTTP/1.1 " + status + ' ' + REASONS.getOrDefault(status, "Status") + "\r\ndate: "
                + DateTimeFormatter.RFC_1123_DATE_TIME.format(ZonedDateTime.now(ZoneOffset.UTC))
                + "\r\nserver: uvicorn\r\n");
        if (!contentType.isEmpty()) {
            ascii("content-type: " + contentType + "\r\n");
        }
        for (Map.Entry<String, String> header : headers.entrySet()) {
            ascii(header.getKey() + ": " + header.getValue() + "\r\n");
        }
        if (fault(Fault.Kind.GZIP) != null) {
            ascii("content-encoding: gzip\r\n");
        }
        if (!keepAlive) {
            ascii("connection: close\r\n");
        }
        ascii(framing);
        ascii("\r\n");
    }

    private void piece(byte[] bytes) throws IOException {
        for (Fault fault : faults) {
            if (fault.after() == pieces) {
                strike(fault, bytes);
            }
        }
        if (!chunked) {
            beforeBody.run();
        }
        write(bytes);
        pieces++;
    }

    /** Lets a fault happen whose moment has come, before the piece with these bytes. */
    private void strike(Fault fault, byte[] bytes) throws IOException {
        switch (fault.kind()) {
            case STALL -> {
                out.flush();
                if (fault.value() == 0) {
                    awaitClientLeaving();
                } else {
                    awaitMillis(fault.value());
                }
            }
            case CLOSE -> {
                out.flush();
                throw new OverException("closed");
            }
            case RESET -> {
                out.flush();
                connection.resetOnClose();
                throw new OverException("reset");
            }
            case CUT -> {
                writeHalf(bytes);
                throw new OverException("cut");
            }
            case HALF -> {
                writeHalf(bytes);
                awaitClientLeaving();
                throw new OverException("stalled in the middle of a piece");
            }
            case GARBAGE_CHUNK -> ascii("this is no chunk\r\n");
            case STATUS,
                    HTML,
                    ERROR_BODY,
                    ERROR_EVENT,
                    GARBAGE_EVENT,
                    GARBAGE_HEAD,
                    NO_DONE,
                    END,
                    EARLY_DONE,
                    CRLF,
                    COMMENTS,
                    MULTILINE,
                    SPLIT,
                    GZIP,
                    WRONG_LENGTH,
                    CLOSE_AFTER,
                    STALE -> {
                // Not bound to a place among the bytes: the rest of this class and the makers of events see to these.
            }
        }
    }

    private void write(byte[] bytes) throws IOException {
        Fault split = fault(Fault.Kind.SPLIT);
        if (split == null) {
            writeWhole(bytes);
            return;
        }
        int size = (int) Math.max(1, split.value());
        for (int start = 0; start < bytes.length; start += size) {
            writeWhole(Arrays.copyOfRange(bytes, start, Math.min(bytes.length, start + size)));
            out.flush();
        }
    }

    private void writeWhole(byte[] bytes) throws IOException {
        if (chunked) {
            ascii(Integer.toHexString(bytes.length) + "\r\n");
        }
        out.write(bytes);
        if (chunked) {
            ascii("\r\n");
        }
    }

    private void writeHalf(byte[] bytes) throws IOException {
        if (chunked) {
            ascii(Integer.toHexString(bytes.length) + "\r\n");
        }
        out.write(bytes, 0, bytes.length / 2);
        out.flush();
    }

    private void sent() throws IOException {
        if (fault(Fault.Kind.CLOSE_AFTER) != null) {
            throw new OverException("closed after the answer");
        }
        if (fault(Fault.Kind.STALE) != null) {
            connection.goStale();
        }
    }

    private void awaitMillis(long millis) throws IOException {
        try {
            if (active.endsBefore(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis))
                    && active.end() == ActiveRequest.End.CLIENT_LEFT) {
                throw new IOException("the client left");
            }
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private void awaitClientLeaving() throws IOException {
        try {
            active.awaitEnd();
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
        if (active.end() == ActiveRequest.End.CLIENT_LEFT) {
            throw new IOException("the client left");
        }
    }

    private static IOException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new IOException("interrupted while an answer stalled", e);
    }

    private byte[] gzip(byte[] bytes) throws IOException {
        try (GZIPOutputStream gzip = new GZIPOutputStream(compressed)) {
            gzip.write(bytes);
        }
        return takeCompressed();
    }

    private byte[] takeCompressed() {
        byte[] bytes = compressed.toByteArray();
        compressed.reset();
        return bytes;
    }

    private void ascii(String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.ISO_8859_1));
    }
}
