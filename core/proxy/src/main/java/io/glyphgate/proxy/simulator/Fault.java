package io.glyphgate.proxy.simulator;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * One way in which an answer goes wrong. Written {@code kind}, {@code kind@after} or {@code kind@after=value}, for
 * example {@code stall@3=500ms}; several are joined by commas.
 *
 * <p>An answer consists of pieces: each event of a stream, {@code [DONE]} included, or the whole body of any other
 * answer.
 *
 * @param kind what goes wrong
 * @param after how many pieces are sent before; {@link #BEFORE_HEAD} if not even the status line is
 * @param value a number whose meaning the kind tells: milliseconds, a status, bytes; 0 if none was given
 */
public record Fault(Kind kind, int after, long value) {
    /** The fault comes before the status line. */
    public static final int BEFORE_HEAD = -1;

    private static final Pattern FORM = Pattern.compile("([a-z-]+)(?:@(\\d{1,9}))?(?:=(\\d{1,9})(ms|s)?)?");

    /** What can go wrong. */
    public enum Kind {
        /**
         * Silence for so many milliseconds (units {@code ms} and {@code s}), or until the client leaves if none are
         * given.
         */
        STALL,
        /** The connection is closed in good order. */
        CLOSE,
        /** The connection is reset. */
        RESET,
        /** Half of the piece is sent, then the connection is closed. */
        CUT,
        /** Half of the piece is sent, then silence until the client leaves. */
        HALF,
        /**
         * An answer with this status in place of the output, in vLLM's error shape; 429 and 503 carry {@code
         * Retry-After}.
         */
        STATUS,
        /** An HTML page with this status (502 if none is given) in place of the output, as a gateway sends it. */
        HTML,
        /** Status 200 with an error in vLLM's shape in place of the output. */
        ERROR_BODY,
        /**
         * An error event as vLLM sends it, with this status (500 if none is given) as its code, then {@code [DONE]}. If the
         * code is one of 4xx the request is refused: no prompt is taken for it.
         */
        ERROR_EVENT,
        /** An event whose data is not JSON is put between the others. */
        GARBAGE_EVENT,
        /** Bytes that are no chunk are put between the chunks. */
        GARBAGE_CHUNK,
        /** Bytes that are no status line come in place of the answer. */
        GARBAGE_HEAD,
        /** The stream ends in good order, but without {@code [DONE]}. */
        NO_DONE,
        /** The stream ends in good order in the middle, without {@code [DONE]}. */
        END,
        /** {@code [DONE]} comes in the middle, and the stream ends. */
        EARLY_DONE,
        /** The lines of the events end with CR and LF. */
        CRLF,
        /** A comment stands before each event. */
        COMMENTS,
        /** The data of each event is spread over several lines. */
        MULTILINE,
        /** The body is written so many bytes (1 if none are given) at a time, each a chunk of its own in a stream. */
        SPLIT,
        /** The body is compressed with gzip, whatever the client accepts. */
        GZIP,
        /**
         * {@code Content-Length} promises so many bytes (10 if none are given) more than come; then the connection is
         * closed.
         */
        WRONG_LENGTH,
        /** The connection is closed after the answer, which did not say so. */
        CLOSE_AFTER,
        /** The connection stays open after the answer, and is closed in place of the next answer. */
        STALE;

        /** The kind as it is written. */
        String text() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /** Whether it means that the server refuses the request. */
    boolean refuses() {
        return kind == Kind.ERROR_EVENT && value >= 400 && value < 500;
    }

    /**
     * A fault at the start of the answer: before the status line for {@link Kind#STALL}, {@link Kind#CLOSE} and {@link
     * Kind#RESET}, at the first piece for the others.
     *
     * @param kind what goes wrong
     * @return the fault, without a value
     */
    public static Fault of(Kind kind) {
        return new Fault(
                kind, kind == Kind.STALL || kind == Kind.CLOSE || kind == Kind.RESET ? BEFORE_HEAD : 0, 0);
    }

    /**
     * The same fault at another place.
     *
     * @param pieces how many pieces are sent before
     * @return a new fault
     */
    public Fault after(int pieces) {
        return new Fault(kind, pieces, value);
    }

    /**
     * The same fault with another value.
     *
     * @param number see {@link #value}
     * @return a new fault
     */
    public Fault with(long number) {
        return new Fault(kind, after, number);
    }

    /**
     * Reads faults.
     *
     * @param text faults joined by commas; may be empty
     * @return the faults in their order
     * @throws IllegalArgumentException if the text is no list of faults; the message names the part and the known kinds
     */
    public static List<Fault> parse(String text) {
        List<Fault> faults = new ArrayList<>();
        for (String part : text.split(",", -1)) {
            if (!part.isBlank()) {
                faults.add(parseOne(part.strip()));
            }
        }
        return List.copyOf(faults);
    }

    private static Fault parseOne(String part) {
        Matcher form = FORM.matcher(part);
        if (!form.matches()) {
            throw new IllegalArgumentException(
                    "'" + part + "' is no fault: write kind, kind@after or kind@after=value, as in stall@3=500ms");
        }
        Fault fault = of(kind(form.group(1)));
        if (form.group(2) != null) {
            fault = fault.after(Integer.parseInt(form.group(2)));
        }
        if (form.group(3) != null) {
            long number = Long.parseLong(form.group(3));
            fault = fault.with("s".equals(form.group(4)) ? Duration.ofSeconds(number).toMillis() : number);
        }
        return fault;
    }

    private static Kind kind(String name) {
        for (Kind kind : Kind.values()) {
            if (kind.text().equals(name)) {
                return kind;
            }
        }
        throw new IllegalArgumentException("there is no fault '" + name + "'; known are "
                + Arrays.stream(Kind.values()).map(Kind::text).collect(Collectors.joining(", ")));
    }
}
