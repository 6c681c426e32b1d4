package io.glyphgate.bench;

import java.nio.charset.StandardCharsets;

/** Bytes of HTTP and JSON that need no parser here, because both ends are known. */
final class Ascii {
    private Ascii() {}

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Where a text starts in some bytes; -1 if it does not stand there. */
    static int find(byte[] in, int from, int to, byte[] what) {
        for (int i = from; i + what.length <= to; i++) {
            int at = 0;
            while (at < what.length && in[i + at] == what[at]) {
                at++;
            }
            if (at == what.length) {
                return i;
            }
        }
        return -1;
    }

    /** The number behind a name, with anything that is no digit between them; otherwise a value of the caller's. */
    static int number(byte[] in, int from, int to, byte[] name, int otherwise) {
        int at = find(in, from, to, name);
        if (at < 0) {
            return otherwise;
        }
        int i = at + name.length;
        while (i < to && (in[i] == ' ' || in[i] == ':' || in[i] == '"')) {
            i++;
        }
        if (i == to || in[i] < '0' || in[i] > '9') {
            return otherwise;
        }
        int value = 0;
        while (i < to && in[i] >= '0' && in[i] <= '9') {
            value = value * 10 + in[i++] - '0';
        }
        return value;
    }

    /** Writes a number in digits of a base, and returns where they end. */
    static int digits(byte[] into, int at, int value, int base) {
        int length = 1;
        for (int rest = value / base; rest > 0; rest /= base) {
            length++;
        }
        int rest = value;
        for (int i = at + length - 1; i >= at; i--) {
            into[i] = (byte) Character.forDigit(rest % base, base);
            rest /= base;
        }
        return at + length;
    }
}
