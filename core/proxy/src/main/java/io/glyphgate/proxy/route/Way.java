package io.glyphgate.proxy.route;

/** How a pool serves a request. */
public enum Way {
    /** The server makes the output; its answer is passed on. */
    FORWARD,
    /** The server is asked for tokens, and the proxy makes the output. */
    PROXY
}
