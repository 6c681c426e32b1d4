package io.glyphgate.proxy.boot;

import io.glyphgate.proxy.config.ConfigException;
import io.glyphgate.proxy.config.ConfigFile;
import io.glyphgate.proxy.config.FileStamp;
import io.glyphgate.proxy.config.ProxyConfig;
import io.glyphgate.proxy.observe.Meters;
import io.glyphgate.proxy.plugin.PluginException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Takes up changes of the configuration while the proxy runs. All is read, checked and built first; only then does it serve.
 * What is wrong changes nothing, and is told.
 */
final class Reload {
    private static final System.Logger LOG = System.getLogger(Reload.class.getName());

    private final Proxy proxy;
    private final ConfigFile start;
    private final Meters.Reloads meters;
    /** One at a time; who asks meanwhile waits for a turn. */
    private final ReentrantLock turn = new ReentrantLock();

    // Guarded by the turn.
    private Setup current;
    private long generation = 1;

    private volatile ProxyConfig.Reload settings;
    /** The configuration that was tried last, and its files before it was read. */
    private volatile ConfigFile tried;

    private volatile ConfigFiles seen;

    /**
     * Reloads into a proxy.
     *
     * @param first what it started with
     */
    Reload(Proxy proxy, Setup first, Meters.Reloads meters) {
        this.proxy = proxy;
        this.meters = meters;
        current = first;
        start = first.file();
        settings = start.config().reload();
        tried = start;
        seen = ConfigFiles.of(start);
        meters.serves(generation, 0);
    }

    /**
     * What came of an attempt.
     *
     * @param good whether the new configuration serves
     * @param generation the number of the one that serves now
     * @param messages what is wrong with the new one if it does not serve; else what takes effect at the next start only
     */
    record Outcome(boolean good, long generation, List<String> messages) {}

    /**
     * Reads all again, and lets it serve if it is good. Returns when it does, or when it is clear that it cannot.
     *
     * @param why who or what asks for it, for the log
     */
    Outcome now(String why) {
        turn.lock();
        try {
            return attempt(why);
        } finally {
            turn.unlock();
        }
    }

    private Outcome attempt(String why) {
        List<String> problems;
        try {
            // looked at before it is read: what changes meanwhile is seen as a change afterwards
            String content = FileStamp.ofContent(start.path());
            tried(current.file(), content);
            ConfigFile next = current.file().again();
            tried(next, content);
            Setup setup = current.next(next);
            setup.warmUp().await();
            return served(why, proxy.serve(setup).setup());
        } catch (ConfigException e) {
            problems = e.problems().stream().map(Object::toString).toList();
        } catch (PluginException e) {
            problems = e.faults();
        } catch (IllegalArgumentException e) {
            problems = List.of(String.valueOf(e.getMessage()));
        } catch (RuntimeException | LinkageError e) {
            LOG.log(System.Logger.Level.ERROR, "a reload failed for a reason that nobody thought of", e);
            problems = List.of(e.toString());
        }
        meters.failed();
        LOG.log(System.Logger.Level.ERROR,
                "the configuration is NOT reloaded (" + why + "); generation " + generation + " goes on serving:\n"
                        + String.join("\n", problems));
        return new Outcome(false, generation, problems);
    }

    private void tried(ConfigFile file, String content) {
        seen = ConfigFiles.of(file, content);
        tried = file;
    }

    private Outcome served(String why, Setup next) {
        current = next;
        settings = next.config().reload();
        generation++;
        List<String> later = new ArrayList<>(FixedKeys.changed(start, next.file()));
        later.addAll(next.registry().stale());
        meters.serves(generation, later.size());
        LOG.log(System.Logger.Level.INFO, "the configuration is reloaded ({0}): generation {1} serves", why, generation);
        later.forEach(each -> LOG.log(System.Logger.Level.WARNING, each));
        return new Outcome(true, generation, List.copyOf(later));
    }

    /** Whether, and how often, the files are looked at. */
    ProxyConfig.Reload settings() {
        return settings;
    }

    /** The files as they were when they were read last. */
    ConfigFiles seen() {
        return seen;
    }

    /** The files as they are now. */
    ConfigFiles look() {
        return ConfigFiles.of(tried);
    }
}
