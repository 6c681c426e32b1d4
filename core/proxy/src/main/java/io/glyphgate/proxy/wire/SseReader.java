package io.glyphgate.proxy.wire;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/**
 * Reads server-sent events from a stream of bytes: lines that end in LF, CRLF or CR, comments, several data lines, events
 * over any number of reads. The lines of data are JSON, so they are joined by spaces: a piece of it may be passed on as one
 * line. An event is a view into the reader's buffer, valid until the next call of {@link #next()}.
 */
public final class SseReader {
    private static final byte[] DONE = {'[', 'D', 'O', 'N', 'E', ']'};

    private final InputStream in;
    private final int limit;
    private byte[] buffer = new byte[8192];
    private int filled;
    private int rawFrom;
    private int rawTo;
    private int scanned;
    private boolean lineEmpty = true;
    private boolean ended;
    private byte[] data = buffer;
    private int dataFrom;
    private int dataTo;
    private boolean atEnd;
    private boolean waits;

    /**
     * A reader.
     *
     * @param in what to read; never closed here
     * @param limit the largest event, in bytes
     */
    public SseReader(InputStream in, int limit) {
        this.in = in;
        this.limit = limit;
    }

    /**
     * Reads on to the next event that has data.
     *
     * @return false at the end of the stream, or where it {@link #waits}
     * @throws EOFException if the stream ends inside an event
     * @throws IOException if reading fails, or an event is over the limit
     */
    public boolean next() throws IOException {
        waits = false;
        while (true) {
            rawFrom = rawTo;
            while (!findEnd()) {
                if (!fill()) {
                    if (waits) {
                        return false;
                    }
                    if (hasText(rawFrom, filled)) {
                        throw new EOFException("the stream ends inside an event");
                    }
                    return false;
                }
            }
            rawTo = scanned;
            lineEmpty = true;
            ended = false;
            if (readData()) {
                return true;
            }
        }
    }

    /** Whether the last call of {@link #next()} gave no event because the rest of it is not here: the input gave 0 bytes. */
    public boolean waits() {
        return waits;
    }

    /** Whether one more whole event is here already, so that {@link #next()} would not wait. */
    public boolean buffered() {
        return findEnd();
    }

    /** Whether the event is the end mark {@code [DONE]}. */
    public boolean done() {
        return Arrays.equals(data, dataFrom, dataTo, DONE, 0, DONE.length);
    }

    /** The array that holds the event's data. */
    public byte[] data() {
        return data;
    }

    /** Where the data starts. */
    public int dataFrom() {
        return dataFrom;
    }

    /** Where the data ends. */
    public int dataTo() {
        return dataTo;
    }

    /** The array that holds the event as it came, blank line and comments before it included. */
    public byte[] raw() {
        return buffer;
    }

    /** Where the event as it came starts. */
    public int rawFrom() {
        return rawFrom;
    }

    /** Where the event as it came ends. */
    public int rawTo() {
        return rawTo;
    }

    /** Scans on to the blank line that ends the next event; false if it is not here yet. */
    private boolean findEnd() {
        while (!ended && scanned < filled) {
            byte b = buffer[scanned];
            if (b != '\n' && b != '\r') {
                lineEmpty = false;
                scanned++;
                continue;
            }
            if (b == '\r') {
                if (scanned + 1 == filled && !atEnd) {
                    return false; // a line feed may follow
                }
                if (scanned + 1 < filled && buffer[scanned + 1] == '\n') {
                    scanned++;
                }
            }
            scanned++;
            ended = lineEmpty;
            lineEmpty = true;
        }
        return ended;
    }

    /** Joins the data lines of the event; false if it has none. */
    private boolean readData() {
        int lines = 0;
        byte[] joined = null;
        int i = rawFrom;
        while (i < rawTo) {
            int end = i;
            while (end < rawTo && buffer[end] != '\n' && buffer[end] != '\r') {
                end++;
            }
            if (end - i >= 5 && isData(i)) {
                int from = end > i + 5 && buffer[i + 5] == ' ' ? i + 6 : i + 5;
                if (lines++ == 0) {
                    data = buffer;
                    dataFrom = from;
                    dataTo = end;
                } else {
                    byte[] longer = Arrays.copyOfRange(joined == null ? data : joined, dataFrom, dataTo + 1 + end - from);
                    longer[dataTo - dataFrom] = ' ';
                    System.arraycopy(buffer, from, longer, dataTo - dataFrom + 1, end - from);
                    dataTo = dataTo - dataFrom + 1 + end - from;
                    dataFrom = 0;
                    joined = longer;
                    data = longer;
                }
            }
            i = end + 1;
        }
        return lines > 0;
    }

    private boolean isData(int at) {
        return buffer[at] == 'd'
                && buffer[at + 1] == 'a'
                && buffer[at + 2] == 't'
                && buffer[at + 3] == 'a'
                && buffer[at + 4] == ':';
    }

    private boolean hasText(int from, int to) {
        for (int i = from; i < to; i++) {
            if (buffer[i] > ' ' || buffer[i] < 0) {
                return true;
            }
        }
        return false;
    }

    private boolean fill() throws IOException {
        if (atEnd) {
            return false;
        }
        if (rawFrom > 0) {
            System.arraycopy(buffer, rawFrom, buffer, 0, filled - rawFrom);
            filled -= rawFrom;
            rawTo -= rawFrom;
            scanned -= rawFrom;
            rawFrom = 0;
        }
        if (filled == buffer.length) {
            if (filled >= limit) {
                throw new MalformedJsonException("an event is over " + limit + " bytes");
            }
            buffer = Arrays.copyOf(buffer, (int) Math.min(limit, 2L * filled));
        }
        int count = in.read(buffer, filled, buffer.length - filled);
        if (count < 0) {
            atEnd = true;
            return findEnd();
        }
        if (count == 0) {
            waits = true;
            return false;
        }
        filled += count;
        return true;
    }
}
