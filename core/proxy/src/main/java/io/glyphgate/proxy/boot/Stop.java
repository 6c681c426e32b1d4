package io.glyphgate.proxy.boot;

import java.util.concurrent.atomic.AtomicBoolean;

/** Ends the process when it is told to: once, and what is in flight goes on; twice, and it ends at once. */
final class Stop {
    private static final System.Logger LOG = System.getLogger(Stop.class.getName());
    /** What is added to the number of a signal to make the exit status of a process that it ended. */
    private static final int SIGNALLED = 128;

    private static final int INTERRUPT = 2;
    private static final int TERMINATE = 15;

    private final Proxy proxy;
    private final AtomicBoolean told = new AtomicBoolean();

    private Stop(Proxy proxy) {
        this.proxy = proxy;
    }

    /** Ends a proxy, and the process, at SIGTERM, SIGINT and whatever else makes Java shut down. */
    static void whenTold(Proxy proxy) {
        Stop stop = new Stop(proxy);
        Signals.on("TERM", () -> stop.tell("SIGTERM", SIGNALLED + TERMINATE));
        Signals.on("INT", () -> stop.tell("SIGINT", SIGNALLED + INTERRUPT));
        Runtime.getRuntime().addShutdownHook(new Thread(proxy::stop, "glyphgate-shutdown"));
    }

    private void tell(String signal, int status) {
        if (!told.compareAndSet(false, true)) {
            LOG.log(System.Logger.Level.WARNING, "{0} again: what is in flight is cut", signal);
            Runtime.getRuntime().halt(status);
        }
        LOG.log(System.Logger.Level.INFO, "{0}: stopping; a second signal ends at once", signal);
        proxy.stop(); // not left to the shutdown hook, beside which Java ends the log
        System.exit(status);
    }
}
