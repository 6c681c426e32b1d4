package io.glyphgate.proxy.route;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.glyphgate.proxy.choice.OutputPlan;
import io.glyphgate.proxy.config.ProxyConfig;
import io.glyphgate.proxy.config.ProxyConfig.Prefer;
import io.glyphgate.proxy.config.ProxyConfig.Role;
import io.glyphgate.proxy.config.ProxyConfig.TokenizerSetting;
import io.glyphgate.proxy.config.ProxyConfig.UpstreamDerender;
import io.glyphgate.proxy.pool.Pool;
import io.glyphgate.proxy.pool.Watches;
import io.glyphgate.spi.OutputModeProvider.Need;
import java.net.URI;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RouterTest {
    private static final ProxyConfig.Kv KV = new ProxyConfig.Kv(
            "default", new ProxyConfig.Connector("nixl", Map.of()), ProxyConfig.WithoutPrefill.DECODE_ONLY);
    private static final Needs TOKENS = new Needs("tokens", Set.of(), true, false, false, Needs.Prompt.CLIENT);
    private static final Needs TEXT = new Needs("text", Set.of(Need.TEXT), false, false, false, Needs.Prompt.CLIENT);
    private static final Needs DERENDER_STREAM = new Needs("derender", Set.of(Need.MESSAGE), false, true, false, Needs.Prompt.CLIENT);
    private static final ServedModel M = model("m", "alias");
    private static final ServedModel N = model("n");
    private static final List<Pool> POOLS = List.of(
            pool("wide", "m", TokenizerSetting.PROXY),
            pool("middle", "m", TokenizerSetting.UPSTREAM),
            pool("narrow", "m", TokenizerSetting.NONE),
            pool("other", "n", TokenizerSetting.NONE));

    private final Router router = new Router(List.of(M, N), POOLS, Prefer.NARROWEST);

    @Test
    void theNarrowestPoolThatCanComesFirst() {
        assertThat(names(router.routes(M, TOKENS, Optional.empty()))).containsExactly("narrow", "middle", "wide");
        assertThat(names(router.routes(M, TEXT, Optional.empty()))).containsExactly("middle", "wide");
        assertThat(names(router.routes(M, DERENDER_STREAM, Optional.empty()))).containsExactly("wide");
    }

    @Test
    void preferAnySpreadsOverAllThatCan() {
        Router any = new Router(List.of(M, N), POOLS, Prefer.ANY);
        Set<String> first = new HashSet<>();
        for (int i = 0; i < 1000 && first.size() < 3; i++) {
            List<String> names = names(any.routes(M, TOKENS, Optional.empty()));
            assertThat(names).containsExactlyInAnyOrder("narrow", "middle", "wide");
            first.add(names.getFirst());
        }
        assertThat(first).hasSize(3);
    }

    @Test
    void aPoolAskedForIsTheOnlyOne() {
        assertThat(names(router.routes(M, TOKENS, Optional.of("wide")))).containsExactly("wide");
        assertThatThrownBy(() -> router.routes(M, TOKENS, Optional.of("other")))
                .isInstanceOf(MisroutedException.class)
                .hasMessageContaining("'other' does not serve model 'm'")
                .hasMessageContaining("these can: wide, middle, narrow");
    }

    @Test
    void aRefusalSaysForEveryPoolWhyNot() {
        assertThatThrownBy(() -> router.routes(N, TEXT, Optional.empty()))
                .isInstanceOfSatisfying(MisroutedException.class, e -> {
                    assertThat(e.status()).isEqualTo(400);
                    assertThat(e.slug()).isEqualTo("no-capable-pool");
                })
                .hasMessageContaining("output_mode 'text'")
                .hasMessageContaining("'other' has no tokenizer")
                .hasMessageNotContaining("'narrow'");
    }

    @Test
    void aModelIsFoundByNameOrAlias() {
        assertThat(router.model(Optional.of("m"))).isSameAs(M);
        assertThat(router.model(Optional.of("alias"))).isSameAs(M);
        assertThatThrownBy(() -> router.model(Optional.of("nope")))
                .isInstanceOfSatisfying(MisroutedException.class, e -> assertThat(e.status()).isEqualTo(404))
                .hasMessageContaining("m, alias, n");
        assertThatThrownBy(() -> router.model(Optional.empty()))
                .isInstanceOfSatisfying(MisroutedException.class, e -> assertThat(e.slug()).isEqualTo("model-missing"));
        assertThat(new Router(List.of(N), POOLS, Prefer.ANY).model(Optional.empty())).isSameAs(N);
    }

    private static List<String> names(List<Route> routes) {
        return routes.stream().map(route -> route.pool().name()).toList();
    }

    private static ServedModel model(String name, String... aliases) {
        return new ServedModel(
                name,
                new ProxyConfig.Model(
                        List.of(aliases),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        OptionalInt.empty(),
                        Optional.empty(),
                        OptionalInt.empty(),
                        new ProxyConfig.ChatTemplate(Optional.empty(), ProxyConfig.ContentFormat.AUTO, Map.of()),
                        Map.of()),
                null,
                OutputPlan.Parsers.NONE,
                Map.of(),
                null);
    }

    private static Pool pool(String name, String model, TokenizerSetting setting) {
        return new Pool(
                name,
                new ProxyConfig.Pool(
                        model,
                        Optional.empty(),
                        Role.BOTH,
                        setting,
                        List.of(URI.create("http://localhost:1")),
                        Optional.empty(),
                        Watches.DEFAULT,
                        new ProxyConfig.Policy("first", Map.of()),
                        UpstreamDerender.BATCH,
                        ProxyConfig.Chat.NONE,
                        KV,
                        new ProxyConfig.Limits(OptionalInt.empty(), 0, Duration.ZERO),
                        Optional.empty(),
                        Optional.empty()),
                (request, endpoints) -> endpoints.getFirst(),
                Optional.empty());
    }
}
