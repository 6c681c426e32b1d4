package io.glyphgate.proxy.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import io.glyphgate.proxy.config.ConfigFile;
import io.glyphgate.proxy.config.ConfigReader;
import io.glyphgate.proxy.config.Problem;
import io.glyphgate.proxy.config.ProxyConfig.OnFailure;
import io.glyphgate.proxy.config.ProxyConfig.Plugins;
import io.glyphgate.proxy.format.DescribedParsers;
import io.glyphgate.spi.CombinedParserProvider;
import io.glyphgate.spi.PoolPolicyProvider;
import io.glyphgate.spi.TokenizerProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PluginCheckTest {
    private static final String POLICIES =
            """
            package acme;
            import io.glyphgate.spi.*;
            import java.util.*;
            public class Sticky implements PoolPolicyProvider {
                public String name() { return "sticky"; }
                public PoolPolicy create(Map<String, String> options) {
                    if (!options.keySet().equals(Set.of("header"))) {
                        throw new IllegalArgumentException("needs the option header and no other");
                    }
                    if (Thread.currentThread().getContextClassLoader() != getClass().getClassLoader()) {
                        throw new IllegalStateException("called from outside");
                    }
                    return (request, endpoints) -> endpoints.get(0);
                }
            }
            """;
    private static final String TOKENIZERS =
            """
            package acme;
            import io.glyphgate.spi.*;
            import java.net.URI;
            import java.util.*;
            public class Words implements TokenizerProvider {
                public String name() { return "words"; }
                public Tokenizer load(URI source, Map<String, String> options) {
                    throw new IllegalStateException("not to be loaded");
                }
            }
            """;
    private static final String COMBINED =
            """
            package acme;
            import io.glyphgate.spi.*;
            import java.util.*;
            public class Pair implements CombinedParserProvider {
                static class Parser implements CombinedParser {
                    public void accept(TokenDelta delta, DeltaSink out) { out.content(delta.text()); }
                    public void finish(FinishReason reason, DeltaSink out) {}
                }
                public String name() { return "pair"; }
                public Set<String> aliases() { return Set.of("pair_half"); }
                public Set<String> markers() { return Set.of(); }
                public CombinedParser create(ParseContext context) { return new Parser(); }
            }
            """;

    @TempDir
    private Path temp;

    private Path plugins = Path.of("");

    @BeforeEach
    void makePlugins() throws IOException {
        plugins = Files.createDirectory(temp.resolve("plugins"));
        new TestPlugin(temp, plugins.resolve("acme"))
                .parser("One", "one", "")
                .source("acme.Sticky", POLICIES)
                .service(PoolPolicyProvider.class, "acme.Sticky")
                .source("acme.Words", TOKENIZERS)
                .service(TokenizerProvider.class, "acme.Words")
                .write();
    }

    @Test
    void findsNothingWhereAllIsThere() throws IOException {
        assertThat(problems(
                        """
                        plugins: { on-failure: skip }
                        models:
                          m: { reasoning-parser: one, tokenizer: { provider: words, source: t } }
                        pools:
                          p:
                            model: m
                            tokenizer: proxy
                            endpoints: [ http://a ]
                            policy: { name: sticky, header: x }
                        """))
                .isEmpty();
    }

    @Test
    void findsNamesThatNoPluginBrings() throws IOException {
        assertThat(problems(
                        """
                        models:
                          m:
                            reasoning-parser: noe
                            tool-parser: one
                            tokenizer: { source: t }
                          n:
                            parser: one
                        pools:
                          p:
                            model: m
                            tokenizer: proxy
                            endpoints: [ http://a ]
                            policy: sticki
                          q:
                            model: n
                            tokenizer: none
                            endpoints: [ http://a ]
                        """))
                .containsExactly(
                        ":3: models.m.reasoning-parser: no plugin brings the reasoning-parser 'noe'; did you mean "
                                + "'one'? (known: one)",
                        ":4: models.m.tool-parser: no plugin brings the tool-parser 'one'; there are none",
                        ":5: models.m.tokenizer.provider: no plugin brings the tokenizer 'huggingface'; known: words",
                        ":7: models.n.parser: no plugin brings the parser 'one'; there are none",
                        ":13: pools.p.policy: no plugin brings the pool-policy 'sticki'; did you mean 'sticky'? "
                                + "(known: sticky)",
                        ":14: pools.q.policy: no plugin brings the pool-policy 'power-of-two-choices'; known: sticky");
    }

    @Test
    void saysThatAFormatOfVllmIsNotBuilt() throws IOException {
        String help = "vLLM has a parser of that name, but its format is not built in; describe it under parsers in the "
                + "configuration, or put a plugin that brings it into the plugins folder";
        assertThat(problems(
                        """
                        models:
                          m:
                            reasoning-parser: kimi_k3
                            tool-parser: minimax_m3
                          n:
                            parser: kimi_k3
                          o:
                            reasoning-parser: minimax_m3
                        pools:
                          m: { model: m, tokenizer: none, endpoints: [ http://a ], policy: { name: sticky, header: x } }
                          n: { model: n, tokenizer: none, endpoints: [ http://a ], policy: { name: sticky, header: x } }
                          o: { model: o, tokenizer: none, endpoints: [ http://a ], policy: { name: sticky, header: x } }
                        """))
                .containsExactly(
                        ":3: models.m.reasoning-parser: no plugin brings the reasoning-parser 'kimi_k3'; " + help,
                        ":4: models.m.tool-parser: no plugin brings the tool-parser 'minimax_m3'; " + help,
                        ":6: models.n.parser: no plugin brings the parser 'kimi_k3'; " + help,
                        ":8: models.o.reasoning-parser: no plugin brings the reasoning-parser 'minimax_m3'; known: one");
    }

    @Test
    void namesTheCombinedParserForTheHalvesThatVllmKnows() throws IOException {
        new TestPlugin(temp, plugins.resolve("pair"))
                .source("acme.Pair", COMBINED)
                .service(CombinedParserProvider.class, "acme.Pair")
                .write();
        String help = "a combined parser does its work and that of the other kind; write parser: pair instead of "
                + "reasoning-parser and tool-parser";
        assertThat(problems(
                        """
                        models:
                          m:
                            reasoning-parser: pair_half
                            tool-parser: pair
                          n:
                            parser: pair
                        pools:
                          p:
                            model: m
                            tokenizer: upstream
                            endpoints: [ http://a ]
                            policy: { name: sticky, header: x }
                          q:
                            model: n
                            tokenizer: upstream
                            endpoints: [ http://a ]
                            policy: { name: sticky, header: x }
                        """))
                .containsExactly(
                        ":3: models.m.reasoning-parser: no plugin brings the reasoning-parser 'pair_half'; " + help,
                        ":4: models.m.tool-parser: no plugin brings the tool-parser 'pair'; " + help);
    }

    @Test
    void findsOptionsThatAPolicyRefuses() throws IOException {
        assertThat(problems(
                        """
                        models: { m: {} }
                        pools:
                          p:
                            model: m
                            tokenizer: none
                            endpoints: [ http://a ]
                            policy:
                              name: sticky
                              haeder: x
                        """))
                .containsExactly(":7: pools.p.policy: the pool-policy 'sticky' refuses its options: needs the option "
                        + "header and no other");
    }

    @Test
    void findsPreferencesThatSettleNothing() throws IOException {
        assertThat(problems(
                        """
                        plugins:
                          prefer:
                            reasoning-praser: { one: acme }
                            reasoning-parser:
                              one: acme
                              two: acme
                            pool-policy:
                              sticky: zeta
                        models: { m: {} }
                        pools:
                          p: { model: m, tokenizer: none, endpoints: [ http://a ], policy: { name: sticky, header: x } }
                        """))
                .containsExactly(
                        ":3: plugins.prefer.reasoning-praser: there is no such kind of plugin; did you mean "
                                + "'reasoning-parser'? (known: chat-template, endpoint-discovery, kv-connector, output-mode, parser, "
                                + "pool-policy, reasoning-parser, tokenizer, tool-parser)",
                        ":6: plugins.prefer.reasoning-parser.two: the plugin folder 'acme' does not bring the "
                                + "reasoning-parser 'two': no plugin brings it; known: one",
                        ":8: plugins.prefer.pool-policy.sticky: the plugin folder 'zeta' does not bring the "
                                + "pool-policy 'sticky': 'acme' alone brings it; remove this key");
    }

    @Test
    void saysWhyAPluginThatMightHaveItWasSkipped() throws IOException {
        Files.createDirectory(plugins.resolve("broken"));
        assertThat(problems(
                        """
                        plugins: { on-failure: skip }
                        models: { m: { reasoning-parser: zzz } }
                        pools:
                          p: { model: m, tokenizer: none, endpoints: [ http://a ], policy: { name: sticky, header: x } }
                        """))
                .containsExactly(":2: models.m.reasoning-parser: no plugin brings the reasoning-parser 'zzz'; known: "
                        + "one; skipped: plugin folder 'broken' holds no jar; put the plugin's jars into it, or remove "
                        + "it");
    }

    @Test
    void tellsOfAnUnreadableTokenizer() throws IOException {
        ConfigFile file = read(
                """
                models:
                  m:
                    tokenizer:
                      source: t.json
                pools: { p: { model: m, tokenizer: none, endpoints: [ http://a ] } }
                """);
        assertThat(PluginCheck.unreadable(file, "m", new IOException("no vocabulary in it")))
                .hasToString(file.path() + ":4: models.m.tokenizer.source: the tokenizer 't.json' cannot be loaded: "
                        + "no vocabulary in it");
    }

    @Test
    void aParserOfTheConfigurationIsNamedLikeThatOfAPlugin() throws IOException {
        assertThat(problems(
                        """
                        parsers:
                          acme: { reasoning: {}, tools: { calls: [ "<call>" ] } }
                          half: { tools: { calls: [ "<call>" ] } }
                        models:
                          a: { reasoning-parser: acme, tool-parser: half }
                          b: { parser: acme }
                        pools:
                          a: { model: a, tokenizer: none, endpoints: [ http://a ], policy: { name: sticky, header: x } }
                          b: { model: b, tokenizer: none, endpoints: [ http://a ], policy: { name: sticky, header: x } }
                        """))
                .isEmpty();
    }

    @Test
    void findsAnEntryThatDoesNotDescribeWhatIsAskedOfIt() throws IOException {
        assertThat(problems(
                        """
                        parsers:
                          half: { tools: { calls: [ "<call>" ] } }
                        models:
                          m:
                            reasoning-parser: half
                        pools:
                          p: { model: m, tokenizer: none, endpoints: [ http://a ], policy: { name: sticky, header: x } }
                        """))
                .containsExactly(":5: models.m.reasoning-parser: the entry parsers.half describes no reasoning-parser; add what "
                        + "is missing to it, or name another");
    }

    @Test
    void aTokenizersOwnParserNeedsATokenizer() throws IOException {
        assertThat(problems(
                        """
                        models:
                          a: { parser: hf, tokenizer: { provider: words, source: t } }
                          b:
                            tool-parser: hf
                        pools:
                          a: { model: a, tokenizer: none, endpoints: [ http://a ], policy: { name: sticky, header: x } }
                          b: { model: b, tokenizer: none, endpoints: [ http://a ], policy: { name: sticky, header: x } }
                        """))
                .containsExactly(":4: models.b.tool-parser: 'hf' is what the response_template of the model's tokenizer describes; "
                        + "give tokenizer.source, or name another parser");
    }

    @Test
    void findsADescribedParserWhoseNameAPluginHas() throws IOException {
        assertThat(problems(
                        """
                        parsers:
                          one:
                            reasoning: {}
                            tools: { calls: [ "<call>" ] }
                        models:
                          m: { parser: one }
                        pools:
                          p: { model: m, tokenizer: none, endpoints: [ http://a ], policy: { name: sticky, header: x } }
                        """))
                .containsExactly(":2: parsers.one: the plugin folder 'acme' brings a reasoning-parser 'one' already; give this one "
                        + "another name");
    }

    private ConfigFile read(String text) throws IOException {
        return ConfigReader.read(Files.writeString(temp.resolve("glyphgate.yaml"), text), Map.of());
    }

    /** What is wrong, without the name of the file. */
    private List<String> problems(String text) throws IOException {
        ConfigFile file = read(text);
        Plugins settings = file.config().plugins();
        OnFailure onFailure = settings.onFailure();
        try (Registry registry =
                Registry.load(plugins, onFailure, settings.prefer()).with(DescribedParsers.of(file))) {
            return PluginCheck.problems(file, registry).stream()
                    .map(Problem::toString)
                    .map(problem -> problem.substring(file.path().toString().length()))
                    .toList();
        }
    }
}
