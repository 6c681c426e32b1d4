package io.glyphgate.proxy.boot;

import io.glyphgate.proxy.config.ProxyConfig;
import io.glyphgate.proxy.route.ServedModel;
import io.glyphgate.spi.ChatTemplateException;
import io.glyphgate.spi.Tokenizer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/**
 * Makes the first prompt of each model before a client wants one: it loads the library that tokenizes, and compiles the chat
 * templates, which takes hundreds of milliseconds. Nothing where there are no doors that make prompts of chats.
 */
final class WarmUp {
    private static final System.Logger LOG = System.getLogger(WarmUp.class.getName());
    private static final String TEXT = "Hello";

    private final List<Thread> threads = new ArrayList<>();

    private WarmUp() {}

    /** Nothing to do. */
    static WarmUp none() {
        return new WarmUp();
    }

    /** Begins, for all models at the same time. */
    static WarmUp start(ProxyConfig.Doors doors, List<ServedModel> models) {
        WarmUp started = new WarmUp();
        if (!doors.openai() && !doors.anthropic() && !doors.render()) {
            return started;
        }
        Set<Tokenizer> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        for (ServedModel model : models) {
            Tokenizer tokenizer = model.tokenizer();
            if (tokenizer != null && seen.add(tokenizer)) {
                started.begin(model, () -> tokenizer.encode(TEXT, true));
            }
            if (model.renderer() != null) {
                started.begin(model, model.renderer()::compile);
            }
        }
        return started;
    }

    /** What makes a prompt, and may fail at it. */
    @FunctionalInterface
    private interface Work {
        void run() throws ChatTemplateException;
    }

    /** Encoding is native code at its start, which would hold up virtual threads. */
    private void begin(ServedModel model, Work work) {
        threads.add(Thread.ofPlatform().daemon().name("warm-up").start(() -> {
            try {
                work.run();
            } catch (ChatTemplateException | RuntimeException | LinkageError e) {
                // outputs can be made all the same, and who wants a prompt will be told
                LOG.log(System.Logger.Level.WARNING, "model '" + model.name() + "' cannot make prompts: " + e.getMessage(), e);
            }
        }));
    }

    /** Whether it is over. */
    boolean over() {
        return threads.stream().noneMatch(Thread::isAlive);
    }

    /** Waits until it is over, or this thread is interrupted, which then still is. */
    void await() {
        try {
            for (Thread thread : threads) {
                thread.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
