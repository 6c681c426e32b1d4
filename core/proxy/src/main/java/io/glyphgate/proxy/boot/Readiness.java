package io.glyphgate.proxy.boot;

import io.glyphgate.proxy.config.ProxyConfig.Ready;
import io.glyphgate.proxy.route.Router;
import io.glyphgate.proxy.route.ServedModel;
import java.util.function.BooleanSupplier;

/**
 * Whether requests should be sent to this proxy, as far as its servers go.
 *
 * @param router knows models and pools
 * @param when what the configuration asks for
 * @param warm whether the first prompts are made
 */
record Readiness(Router router, Ready when, BooleanSupplier warm) {
    boolean ready() {
        return warm.getAsBoolean() && servable();
    }

    private boolean servable() {
        return switch (when) {
            case ANY_MODEL -> router.models().stream().anyMatch(this::servable);
            case EVERY_MODEL -> router.models().stream().allMatch(this::servable);
            case STARTED -> true;
        };
    }

    private boolean servable(ServedModel model) {
        return router.pools().stream()
                .anyMatch(pool -> pool.config().model().equals(model.name()) && pool.config().role().decodes() && pool.up());
    }
}
