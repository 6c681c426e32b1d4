package io.glyphgate.proxy.http;

import io.helidon.common.buffers.BufferData;
import io.helidon.common.buffers.DataReader;
import io.helidon.http.DirectHandler;
import io.helidon.http.RequestException;
import java.util.function.Supplier;

/**
 * Reads what Helidon takes for granted. Helidon 4.5.0 skips two bytes behind each chunk of a body without looking at them, where
 * another proxy may see a line end of one byte or none, and the two no longer agree where the next request starts. And it reads
 * the size of a chunk without limit, and with a sign.
 */
@SuppressWarnings("removal") // the factory that takes the constructor's place makes no subclass
final class StrictReader extends DataReader {
    private static final int LINE_END = 2;
    private static final byte DELETE = 0x7F;
    /** A chunk's size has 8 digits at most; more are zeros, or extensions, which are refused. */
    private static final int MOST_SIZE_LINE = 64;

    StrictReader(Supplier<byte[]> bytes) {
        super(bytes);
    }

    /** Skips bytes; two at once are a line end wherever Helidon's HTTP/1.1 skips without having read. */
    @Override
    public void skip(int length) {
        if (length != LINE_END) {
            super.skip(length);
        } else if (read() != '\r' || read() != '\n') {
            throw new IncorrectNewLineException("There is no CR LF where a line or a chunk must end.");
        }
    }

    /** Reads a body, or a chunk of it, which may have two bytes. */
    @Override
    public BufferData readBuffer(int length) {
        BufferData data = getBuffer(length);
        super.skip(length);
        return data;
    }

    /** Reads the first line of a request, or the value of Connection: Helidon breaks, with a stack in the log, at a wrong method. */
    @Override
    public byte[] readBytes(int length) {
        byte[] bytes = super.readBytes(length);
        for (byte b : bytes) {
            if (b < ' ' || b == DELETE) {
                throw RequestException.builder()
                        .type(DirectHandler.EventType.BAD_REQUEST)
                        .message("The request holds a byte that is no printable ASCII.")
                        .build();
            }
        }
        return bytes;
    }

    /** Reads a line, which Helidon does in bodies only: the size of a chunk, for which it takes a sign, too, or an empty one. */
    @Override
    public String readLine() {
        int end = findNewLine(MOST_SIZE_LINE);
        if (end == MOST_SIZE_LINE) {
            throw new IncorrectNewLineException("The size of a chunk has more than " + MOST_SIZE_LINE + " characters.");
        }
        String line = readAsciiString(end);
        if (!line.chars().allMatch(StrictReader::isHexadecimal)) {
            throw new IllegalArgumentException("The size of a chunk must be written in hexadecimal digits, and nothing else.");
        }
        skip(LINE_END);
        return line;
    }

    private static boolean isHexadecimal(int c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    }
}
