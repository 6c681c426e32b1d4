package io.glyphgate.proxy.boot;

import io.glyphgate.proxy.config.ProxyConfig.Streaming;

/** The same where each stream has a thread. */
class ServerFaultOnThreadsTest extends ServerFaultTest {
    @Override
    Streaming streaming() {
        return Streaming.THREAD;
    }
}
