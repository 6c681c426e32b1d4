package io.glyphgate.proxy.route;

import static org.assertj.core.api.Assertions.assertThat;

import io.glyphgate.proxy.config.ProxyConfig;
import io.glyphgate.proxy.pool.Watches;
import io.glyphgate.proxy.config.ProxyConfig.Role;
import io.glyphgate.proxy.config.ProxyConfig.TokenizerSetting;
import io.glyphgate.proxy.config.ProxyConfig.UpstreamDerender;
import io.glyphgate.spi.OutputModeProvider.Need;
import java.net.URI;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The table of what a pool can serve, row by row. */
class CapabilityTest {
    @ParameterizedTest
    @CsvSource({
        // setting, mode, stream, stop strings, how
        "NONE, tokens, false, false, FORWARD",
        "NONE, tokens, true, false, FORWARD",
        "NONE, tokens, false, true, ",
        "NONE, text, false, false, ",
        "NONE, derender, false, false, ",
        "NONE, plugin-mode, false, false, ",
        "UPSTREAM, tokens, true, false, FORWARD",
        "UPSTREAM, tokens, true, true, FORWARD",
        "UPSTREAM, text, true, true, FORWARD",
        "UPSTREAM, derender, false, true, FORWARD",
        "UPSTREAM, derender, true, false, ",
        "UPSTREAM, plugin-mode, false, false, ",
        "PROXY, tokens, true, false, FORWARD",
        "PROXY, tokens, true, true, PROXY",
        "PROXY, text, false, false, PROXY",
        "PROXY, derender, true, true, PROXY",
        "PROXY, plugin-mode, true, false, PROXY",
        "NONE, mode-on-tokens, true, false, PROXY",
        "NONE, mode-on-tokens, true, true, ",
        "UPSTREAM, mode-on-tokens, true, false, PROXY",
        "UPSTREAM, mode-on-tokens, true, true, ",
        "PROXY, mode-on-tokens, true, true, PROXY",
    })
    void row(TokenizerSetting setting, String mode, boolean stream, boolean stop, @Nullable Way way) {
        Verdict verdict = Capability.of(pool(setting, Role.BOTH, UpstreamDerender.BATCH), needs(mode, stream, stop));
        if (way == null) {
            assertThat(verdict).isInstanceOfSatisfying(Verdict.Cannot.class, no -> assertThat(no.lack()).isNotBlank());
        } else {
            assertThat(verdict).isEqualTo(new Verdict.Can(way));
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"PREFILL", "RENDER"})
    void aPoolThatDoesNotDecodeAnswersNothing(Role role) {
        for (TokenizerSetting setting : TokenizerSetting.values()) {
            assertThat(Capability.of(pool(setting, role, UpstreamDerender.STREAM), needs("tokens", false, false)))
                    .isInstanceOf(Verdict.Cannot.class);
        }
    }

    @Test
    void whatUpstreamServersCanDerenderIsASetting() {
        assertThat(Capability.of(pool(TokenizerSetting.UPSTREAM, Role.DECODE, UpstreamDerender.STREAM), needs("derender", true, false)))
                .isEqualTo(new Verdict.Can(Way.FORWARD));
        assertThat(Capability.of(pool(TokenizerSetting.UPSTREAM, Role.DECODE, UpstreamDerender.NONE), needs("derender", false, false)))
                .isInstanceOf(Verdict.Cannot.class);
    }

    private static Needs needs(String mode, boolean stream, boolean stop) {
        Set<Need> needs = mode.endsWith("tokens") ? EnumSet.noneOf(Need.class) : EnumSet.of(Need.TEXT);
        return new Needs(mode, needs, mode.equals("tokens"), stream, stop, Needs.Prompt.CLIENT);
    }

    private static ProxyConfig.Pool pool(TokenizerSetting setting, Role role, UpstreamDerender derender) {
        return new ProxyConfig.Pool(
                "m",
                Optional.empty(),
                role,
                setting,
                List.of(URI.create("http://localhost:1")),
                Optional.empty(),
                Watches.DEFAULT,
                new ProxyConfig.Policy("round-robin", Map.of()),
                derender,
                ProxyConfig.Chat.NONE,
                new ProxyConfig.Kv("default", new ProxyConfig.Connector("nixl", Map.of()), ProxyConfig.WithoutPrefill.DECODE_ONLY),
                new ProxyConfig.Limits(OptionalInt.empty(), 0, Duration.ZERO),
                Optional.empty(),
                Optional.empty());
    }
}
