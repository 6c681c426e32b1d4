package io.glyphgate.proxy.boot;

import java.time.Duration;

/**
 * Reloads when the files of the configuration change. They are read when they have not changed for a moment, so that nobody's
 * half-written file is taken for a change; a file that was refused is read again when it changes again.
 */
final class ConfigWatch implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(ConfigWatch.class.getName());
    /** How long files must stay as they are before they are read; less where they are looked at more often. */
    private static final Duration SETTLED = Duration.ofMillis(500);

    private final Reload reload;
    private final Thread thread;

    /** Watches until it is closed. */
    ConfigWatch(Reload reload) {
        this.reload = reload;
        thread = Thread.ofPlatform().daemon().name("glyphgate-config-watch").start(this::watch);
    }

    private void watch() {
        try {
            while (true) {
                Duration every = reload.settings().every();
                Thread.sleep(every);
                if (reload.settings().watch()) {
                    look(every.compareTo(SETTLED) < 0 ? every : SETTLED);
                }
            }
        } catch (InterruptedException e) {
            LOG.log(System.Logger.Level.DEBUG, "the files of the configuration are watched no longer", e);
        }
    }

    private void look(Duration settled) throws InterruptedException {
        try {
            ConfigFiles now = reload.look();
            if (now.equals(reload.seen())) {
                return;
            }
            ConfigFiles before;
            do {
                before = now;
                Thread.sleep(settled);
                now = reload.look();
            } while (!now.equals(before));
            if (!now.equals(reload.seen())) { // it may be as it was, or somebody else asked for a reload
                var unused = reload.now(String.join(", ", now.changesFrom(reload.seen())) + " changed");
            }
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "the files of the configuration cannot be watched just now", e);
        }
    }

    @Override
    public void close() {
        thread.interrupt();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
