package io.glyphgate.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.glyphgate.spi.EndpointDiscovery;
import io.glyphgate.spi.EndpointDiscoveryProvider;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What every discovery keeps. Extend it, name the provider, say how its source comes to have servers and how it breaks, and run
 * it.
 */
public abstract class EndpointDiscoveryContract {
    @TempDir
    private Path folder;

    /** For subclasses. */
    protected EndpointDiscoveryContract() {}

    /**
     * The provider to test.
     *
     * @return always the same, or one that looks at the same source
     */
    protected abstract EndpointDiscoveryProvider provider();

    /**
     * Options that the provider takes, and with which it looks at the source of the test as often as it can.
     *
     * @return at least what must be given
     */
    protected abstract Map<String, String> options();

    /**
     * Some servers as the source can hold them.
     *
     * @param count how many
     * @return as many different addresses, in any order
     */
    protected abstract List<URI> servers(int count);

    /**
     * Makes the source hold these servers and no others.
     *
     * @param servers from {@link #servers}; at least one
     */
    protected abstract void publish(List<URI> servers) throws Exception;

    /** Makes the source fail, so that a discovery has to say so and change nothing. */
    protected abstract void breakDown() throws Exception;

    /**
     * How long a change may take until it is told.
     *
     * @return far more than a busy machine needs
     */
    protected Duration patience() {
        return Duration.ofSeconds(20);
    }

    /**
     * The folder of the configuration.
     *
     * @return an empty folder of this test
     */
    protected final Path folder() {
        return folder;
    }

    /** Makes a discovery with options. */
    protected final EndpointDiscovery create(Map<String, String> options) {
        return provider().create(context(options));
    }

    /** What a configuration with these options says. */
    protected final EndpointDiscoveryProvider.Context context(Map<String, String> options) {
        return new EndpointDiscoveryProvider.Context() {
            @Override
            public String pool() {
                return "contract";
            }

            @Override
            public Map<String, String> options() {
                return options;
            }

            @Override
            public Path folder() {
                return folder;
            }
        };
    }

    /** Hears what a discovery tells. */
    protected static final class Heard implements EndpointDiscovery.Listener {
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition news = lock.newCondition();
        private final List<Set<URI>> found = new ArrayList<>();
        private final List<String> failures = new ArrayList<>();
        private final AtomicInteger telling = new AtomicInteger();
        private volatile boolean broken;

        /** For subclasses of the contract. */
        public Heard() {}

        @Override
        public void found(Collection<URI> endpoints) {
            tell(() -> found.add(new TreeSet<>(endpoints)));
        }

        @Override
        public void failed(String why) {
            tell(() -> failures.add(why));
        }

        private void tell(Runnable what) {
            if (telling.getAndIncrement() > 0) {
                broken = true; // told by two threads at once
            }
            lock.lock();
            try {
                what.run();
                news.signalAll();
            } finally {
                lock.unlock();
                telling.decrementAndGet();
            }
        }

        /** What was told last; none before anything was told. */
        public Set<URI> last() {
            lock.lock();
            try {
                return found.isEmpty() ? Set.of() : found.getLast();
            } finally {
                lock.unlock();
            }
        }

        /** How often servers were told. */
        public int tellings() {
            lock.lock();
            try {
                return found.size();
            } finally {
                lock.unlock();
            }
        }

        /** The failures that were told. */
        public List<String> failures() {
            lock.lock();
            try {
                return List.copyOf(failures);
            } finally {
                lock.unlock();
            }
        }

        /** Waits until what was told is as wished. */
        public void await(String what, Duration limit, Predicate<Heard> wish) throws InterruptedException {
            long left = limit.toNanos();
            lock.lock();
            try {
                while (!wish.test(this)) {
                    if (left <= 0) {
                        throw new AssertionError("waited " + limit.toSeconds() + " s until " + what + "; found " + found
                                + ", failures " + failures);
                    }
                    left = news.awaitNanos(left);
                }
            } finally {
                lock.unlock();
            }
        }
    }

    @Test
    void hasAProperName() {
        assertThat(provider().name()).matches("[a-z0-9_-]+");
        assertThat(provider().aliases())
                .doesNotContain(provider().name())
                .allMatch(name -> name.matches("[a-z0-9_-]+"));
    }

    @Test
    void isFoundByItsServiceFile() {
        assertThat(ServiceLoader.load(EndpointDiscoveryProvider.class, provider().getClass().getClassLoader()))
                .anyMatch(found -> found.getClass() == provider().getClass());
    }

    @Test
    void refusesAnUnknownOptionByName() {
        Map<String, String> options = new HashMap<>(options());
        options.put("no-such-option", "1");
        assertThatThrownBy(() -> create(options))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no-such-option");
    }

    @Test
    void mayBeMadeAndNeverStarted() throws Exception {
        breakDown();
        create(options()).close();
    }

    @Test
    void tellsTheServersAndEveryChange() throws Exception {
        List<URI> servers = servers(3);
        publish(servers.subList(0, 2));
        Heard heard = new Heard();
        try (EndpointDiscovery discovery = create(options())) {
            discovery.start(heard);
            await(heard, "the first two are told", servers.subList(0, 2));
            publish(servers.subList(1, 3));
            await(heard, "one has gone and one has come", servers.subList(1, 3));
            publish(servers.subList(2, 3));
            await(heard, "one has gone", servers.subList(2, 3));
        }
        assertThat(heard.broken).as("told by two threads at once").isFalse();
    }

    @Test
    void saysThatItsSourceFailsAndGoesOn() throws Exception {
        List<URI> servers = servers(2);
        publish(servers.subList(0, 1));
        Heard heard = new Heard();
        try (EndpointDiscovery discovery = create(options())) {
            discovery.start(heard);
            await(heard, "the server is told", servers.subList(0, 1));
            breakDown();
            heard.await("the failure is told", patience(), told -> !told.failures().isEmpty());
            assertThat(heard.last()).containsExactlyElementsOf(servers.subList(0, 1));
            assertThat(heard.failures()).noneMatch(String::isBlank);
            publish(servers);
            await(heard, "it goes on", servers);
        }
    }

    @Test
    void startsBeforeItsSourceIsThere() throws Exception {
        breakDown();
        Heard heard = new Heard();
        try (EndpointDiscovery discovery = create(options())) {
            discovery.start(heard);
            heard.await("the failure is told", patience(), told -> !told.failures().isEmpty());
            assertThat(heard.last()).isEmpty();
            publish(servers(1));
            await(heard, "the server is told", servers(1));
        }
    }

    @Test
    void leavesNoThreadBehind() throws Exception {
        publish(servers(1));
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        Heard heard = new Heard();
        EndpointDiscovery discovery = create(options());
        discovery.start(heard);
        await(heard, "the server is told", servers(1));
        Set<Thread> own = Thread.getAllStackTraces().keySet();
        own.removeAll(before);
        discovery.close();
        long end = System.nanoTime() + patience().toNanos();
        for (Thread thread : own) {
            if (mayStay(thread)) {
                continue;
            }
            thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime())));
            assertThat(thread.isAlive()).as("the thread '" + thread.getName() + "' ends with the discovery").isFalse();
        }
    }

    /**
     * Whether a thread that started meanwhile may stay: of the JVM, or of the source that the test plays.
     *
     * @param thread the thread
     * @return false unless the name is one of the JVM's
     */
    protected boolean mayStay(Thread thread) {
        return thread.getName().startsWith("ForkJoinPool") || thread.getName().startsWith("Attach Listener");
    }

    private void await(Heard heard, String what, List<URI> servers) throws InterruptedException {
        Set<URI> all = new TreeSet<>(servers);
        heard.await(what, patience(), told -> told.last().equals(all));
    }
}
