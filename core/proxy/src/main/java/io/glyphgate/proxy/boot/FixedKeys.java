package io.glyphgate.proxy.boot;

import io.glyphgate.proxy.config.ConfigFile;
import io.glyphgate.proxy.config.KeyPath;
import io.glyphgate.proxy.config.ProxyConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;

/** The keys that count when the proxy starts only, because a socket that is open cannot follow them. */
final class FixedKeys {
    private static final List<Fixed> ALL = List.of(
            new Fixed(KeyPath.of("server", "host"), config -> config.server().host()),
            new Fixed(KeyPath.of("server", "port"), config -> config.server().port()),
            new Fixed(KeyPath.of("server", "streaming"), config -> config.server().streaming()),
            new Fixed(KeyPath.of("server", "tls"), config -> config.server().tls().map(Object::toString).orElse("")),
            new Fixed(KeyPath.of("admin"), config -> config.admin()
                    .map(admin -> admin.host() + ":" + admin.port())
                    .orElse("")),
            new Fixed(
                    KeyPath.of("doors", "happy-vllm-prefix"),
                    config -> config.doors().happyVllmPrefix().orElse("")));

    private record Fixed(KeyPath key, Function<ProxyConfig, Object> value) {}

    private FixedKeys() {}

    /**
     * The keys that would have to be as they were at the start: a line for each, with its place and what to do.
     *
     * @param start the configuration at the start
     * @param next the one that is to serve
     */
    static List<String> changed(ConfigFile start, ConfigFile next) {
        List<String> changed = new ArrayList<>();
        for (Fixed fixed : ALL) {
            Object before = fixed.value.apply(start.config());
            if (!Objects.equals(before, fixed.value.apply(next.config()))) {
                changed.add(next.problem(
                                fixed.key,
                                "takes effect when the proxy is started again; until then it is '" + before + "'")
                        .toString());
            }
        }
        return changed;
    }
}
