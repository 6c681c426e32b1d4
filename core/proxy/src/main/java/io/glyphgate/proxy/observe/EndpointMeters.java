package io.glyphgate.proxy.observe;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

/** The meters of one endpoint: they go when it goes. All are asked for when the meters are read. */
public final class EndpointMeters implements AutoCloseable {
    private final MeterRegistry registry;
    private final Tags tags;
    private final List<Meter> meters = new CopyOnWriteArrayList<>();
    /** What function counters ask: they hold it only weakly. */
    private final List<Supplier<Number>> asked = new CopyOnWriteArrayList<>();

    EndpointMeters(MeterRegistry registry, String pool, String endpoint) {
        this.registry = registry;
        tags = Tags.of("pool", pool, "endpoint", endpoint);
    }

    /** How many requests it serves. */
    public void inFlight(Supplier<Number> count) {
        Meters.forget(registry, "glyphgate.in.flight", tags);
        meters.add(Gauge.builder("glyphgate.in.flight", count)
                .description("Requests that an endpoint is serving")
                .tags(tags)
                .register(registry));
    }

    /** Whether it is in a state, 1 or 0. */
    public void state(String state, Supplier<Number> whether) {
        Meters.forget(registry, "glyphgate.endpoint.state", tags.and("state", state));
        meters.add(Gauge.builder("glyphgate.endpoint.state", whether)
                .description("1 for the state that an endpoint is in, 0 for the others")
                .tags(tags.and("state", state))
                .register(registry));
    }

    /** How often it was ejected for a reason. */
    public void ejections(String reason, Supplier<Number> count) {
        counter("glyphgate.endpoint.ejections", "Ejections of an endpoint by their reason", "reason", reason, count);
    }

    /** How many health checks had a result. */
    public void healthChecks(String result, Supplier<Number> count) {
        counter("glyphgate.health.checks", "Health checks of an endpoint by their result", "result", result, count);
    }

    private void counter(String name, String description, String tag, String value, Supplier<Number> count) {
        Meters.forget(registry, name, tags.and(tag, value));
        asked.add(count);
        meters.add(FunctionCounter.builder(name, count, supplier -> supplier.get().doubleValue())
                .description(description)
                .tags(tags.and(tag, value))
                .register(registry));
    }

    @Override
    public void close() {
        meters.forEach(registry::remove);
        asked.clear();
    }
}
