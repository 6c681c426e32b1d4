package io.glyphgate.proxy.wire;

import java.nio.charset.StandardCharsets;

/** The fixed bytes of server-sent events. */
public final class Sse {
    /** What an event starts with. */
    public static final byte[] DATA = ascii("data: ");
    /** What an event ends with. */
    public static final byte[] END = ascii("\n\n");
    /** The event that ends a stream. */
    public static final byte[] DONE = ascii("data: [DONE]\n\n");
    /** A comment, which readers pay no attention to. */
    public static final byte[] KEEP_ALIVE = ascii(": keep-alive\n\n");

    /** An event that readers of Anthropic's API pay no attention to. */
    static final byte[] PING = ascii("event: ping\ndata: {\"type\":\"ping\"}\n\n");
    /** What the event of an error starts with in Anthropic's API. */
    static final byte[] ERROR = ascii("event: error\ndata: ");

    private Sse() {}

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
