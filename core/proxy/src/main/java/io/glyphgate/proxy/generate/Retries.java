package io.glyphgate.proxy.generate;

import io.glyphgate.proxy.config.ProxyConfig;
import io.glyphgate.proxy.observe.Meters;
import io.glyphgate.proxy.upstream.UpstreamException;
import io.glyphgate.proxy.upstream.UpstreamException.Kind;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Which requests are sent to another server when one fails before it answers, and how many of them. */
final class Retries {
    private final ProxyConfig.Retries config;
    private final Meters meters;
    private final Map<String, RetryBudget> budgets = new ConcurrentHashMap<>();

    Retries(ProxyConfig.Retries config, Meters meters) {
        this.config = config;
        this.meters = meters;
    }

    /** How a server failed, where another one may do better. */
    enum Reason {
        /** It says that it has no room. */
        FULL,
        /** It broke the connection before the first byte of its answer. */
        BROKEN,
        /** It answered that it, or what is behind it, is broken. */
        SERVER_ERROR;

        /** The reason that lies in the status of an answer; empty if another server would say the same. */
        static Optional<Reason> of(int status) {
            return switch (status) {
                case 429, 503 -> Optional.of(FULL); // vLLM's --max-num-queued-reqs, and engines that are paused
                case 500, 502, 504 -> Optional.of(SERVER_ERROR);
                default -> Optional.empty();
            };
        }

        /**
         * The reason that lies in a failure before the head of an answer; empty if another server must not be asked: the
         * client has waited for long enough, or wants no answer.
         */
        static Optional<Reason> of(UpstreamException e) {
            return e.kind() == Kind.BROKEN ? Optional.of(BROKEN) : Optional.empty();
        }

        private String tag() {
            return switch (this) {
                case FULL -> "full";
                case BROKEN -> "broken";
                case SERVER_ERROR -> "server-error";
            };
        }
    }

    /** Counts a request to a model. */
    void request(String model) {
        budget(model).request();
    }

    private RetryBudget budget(String model) {
        return budgets.computeIfAbsent(model, m -> new RetryBudget(config, System::nanoTime));
    }

    /** The attempts at one thing of a request to a model: its prompt, or its answer. */
    Attempts attempts(String model) {
        return new Attempts(model);
    }

    /** What was tried of one request. Used by its thread. */
    final class Attempts {
        private final String model;
        private int made;
        /** What is being retried, until it is known what came of it. */
        private Optional<Retry> open = Optional.empty();

        private record Retry(String pool, Reason reason) {}

        private Attempts(String model) {
            this.model = model;
        }

        /** A server of a pool failed: whether another one may be asked. */
        boolean another(String pool, Reason reason) {
            made++;
            ended("failed");
            if (made >= config.attempts()) {
                meters.retry(pool, reason.tag(), "no-attempts");
                return false;
            }
            if (!budget(model).take()) {
                meters.retry(pool, reason.tag(), "no-budget");
                return false;
            }
            open = Optional.of(new Retry(pool, reason));
            return true;
        }

        /** A server answered. */
        void answered() {
            ended("answered");
        }

        /** There was no other server to ask. */
        void none() {
            ended("no-endpoint");
        }

        /** The request ended for a reason of its own. */
        void failed() {
            ended("failed");
        }

        private void ended(String outcome) {
            open.ifPresent(retry -> meters.retry(retry.pool, retry.reason.tag(), outcome));
            open = Optional.empty();
        }
    }
}
