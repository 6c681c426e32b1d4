package io.glyphgate.plugin.poolpolicies;

import io.glyphgate.spi.PoolPolicy;
import io.glyphgate.spi.PoolPolicyProvider;
import java.util.Map;

/**
 * Sends requests with the same value of a header to the same endpoint, as long as it is not too busy; requests without the
 * header go anywhere. Options: {@code header} names it, {@code load-factor} and {@code free-load} say what too busy is.
 */
public final class StickyByHeader implements PoolPolicyProvider {
    @Override
    public String name() {
        return "sticky-by-header";
    }

    @Override
    public PoolPolicy create(Map<String, String> given) {
        Options options = Options.of(name(), given);
        String header = options.text("header", "X-Session-Id");
        Affinity affinity = Affinity.of(options);
        options.requireNoOthers("header, load-factor, free-load");
        return (request, endpoints) -> {
            String value = request.header(header).orElseGet(request::requestId);
            return affinity.pick(Affinity.add(Affinity.start(), value), endpoints);
        };
    }
}
