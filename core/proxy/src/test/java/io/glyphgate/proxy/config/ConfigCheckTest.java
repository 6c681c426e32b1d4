package io.glyphgate.proxy.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfigCheckTest {
    private static final String POOL = "pools:\n  p: { model: m, tokenizer: none, endpoints: [ http://a ] }\n";

    @TempDir
    private Path folder;

    @Test
    void parsersThatDescribeNothingOrTooMuch() throws IOException {
        String models = "models:\n  m: {}\n" + POOL;
        assertThat(problemsOf(models
                        + """
                        parsers:
                          Big: { reasoning: {} }
                          none: {}
                          two: { reasoning: {}, opened-reasoning: {} }
                          all:
                            tools: {}
                            messages:
                              { start: a, role: b, channel: c, constrain: d, open: e, recipient: f, functions: g }
                        """))
                .containsExactly(
                        ":6: parsers.Big: the name of a parser may hold lower-case letters, digits, '-' and '_' only",
                        ":7: parsers.none: describes nothing; give reasoning, opened-reasoning, tools or messages",
                        ":8: parsers.two.opened-reasoning: reasoning has one form; remove this key, or reasoning",
                        ":11: parsers.all.messages: messages say what is reasoning and what a call; remove this key, or "
                                + "the others");
    }

    @Test
    void poolsThatRender() throws IOException {
        assertThat(problemsOf("""
                models:
                  m:
                    tokenizer: { source: t }
                    chat-template: { content-format: string }
                    sampling-defaults: { top_k: 7 }
                pools:
                  p: { model: m, tokenizer: none, endpoints: [ http://a ] }
                  r:
                    model: m
                    role: render
                    tokenizer: none
                    chat: native
                    limits: { in-flight-per-endpoint: 3 }
                    endpoints: [ http://b ]
                """))
                .containsExactly(
                        ":4: models.m.chat-template: means nothing where the servers of a pool render (pools.r): they bring their own;"
                                + " remove it, or the pool",
                        ":5: models.m.sampling-defaults: means nothing where the servers of a pool render (pools.r): they bring their"
                                + " own; remove it, or the pool",
                        ":11: pools.r.tokenizer: the servers of a pool that renders load the tokenizer; write upstream",
                        ":12: pools.r.chat: means nothing in a pool whose role is render, as its servers generate nothing; remove it",
                        ":13: pools.r.limits: means nothing in a pool whose role is render, as its servers generate nothing; remove it");
        assertThat(problemsOf("models: { m: {} }\npools: { r: { model: m, role: render, tokenizer: upstream, endpoints: [ http://b ] } }\n"))
                .containsExactly(":1: models.m: no pool with role decode or both serves this model; add one, or remove the model");
    }

    @Test
    void keysOfParsersAreStrict() throws IOException {
        String models = "models:\n  m: {}\n" + POOL;
        assertThat(problemsOf(models
                        + """
                        parsers:
                          a:
                            tools:
                              calls:
                                - opener: { marker: "<x>", folowed-by: ["{"] }
                                  white-space: keep
                                  name: { ends: ["\\n", ""] }
                        """))
                .containsExactly(
                        ":9: parsers.a.tools.calls[0].opener.folowed-by: unknown key; did you mean 'followed-by'? (known: "
                                + "followed-by, marker)",
                        ":10: parsers.a.tools.calls[0].white-space: 'keep' is not a value of this key; did you mean 'kept'? "
                                + "(known: dropped, kept)",
                        ":11: parsers.a.tools.calls[0].name.ends[1]: has no value; give it one, or remove the key");
    }

    @Test
    void aFileOfParsersAloneIsEnoughWhereOnlyTheyAreWanted() throws IOException {
        Path file = Files.writeString(folder.resolve("parsers.yaml"), "parsers: { a: { reasoning: {} } }\n");
        assertThat(ConfigReader.readParsers(file, Map.of()).config().parsers()).containsOnlyKeys("a");
        assertThat(catchThrowableOfType(ConfigException.class, () -> ConfigReader.read(file, Map.of())))
                .hasMessageContaining("models: there is no model");
    }

    @Test
    void templateArgumentsAreWhatTheyLookLike() throws IOException {
        Path file = Files.writeString(
                folder.resolve("parsers.yaml"),
                "parsers: { a: { reasoning: { off-when: { thinking: false, effort: none, budget: 0 } } } }\n");
        assertThat(ConfigReader.readParsers(file, Map.of()).config().parsers().values())
                .singleElement()
                .satisfies(parser -> assertThat(parser.reasoning().orElseThrow().offWhen())
                        .isEqualTo(Map.of("thinking", false, "effort", "none", "budget", 0)));
    }

    @Test
    void poolOfAnUnknownModel() throws IOException {
        assertThat(problemsOf(
                        """
                        models:
                          qwen3-8b: {}
                        pools:
                          p: { model: qwen3-8b, tokenizer: none, endpoints: [ http://a ] }
                          q:
                            model: qwen3_8b
                            tokenizer: none
                            endpoints: [ http://a ]
                        """))
                .containsExactly(
                        ":6: pools.q.model: there is no model 'qwen3_8b'; did you mean 'qwen3-8b'? (known: qwen3-8b)");
    }

    @Test
    void proxyPoolWithoutTokenizer() throws IOException {
        assertThat(problemsOf("models:\n  m: {}\n" + POOL.replace("none", "proxy")))
                .containsExactly(
                        ":4: pools.p.tokenizer: proxy needs the model's tokenizer; give models.m.tokenizer.source");
    }

    @Test
    void aQueueWithoutALimit() throws IOException {
        assertThat(problemsOf("models:\n  m: {}\n" + POOL.replace("] }", "], limits: { queue: 3, queue-wait: 1s } }")))
                .containsExactly(
                        ":4: pools.p.limits.queue: nobody waits where there is no limit; give "
                                + "pools.p.limits.in-flight-per-endpoint, or remove this key",
                        ":4: pools.p.limits.queue-wait: nobody waits where there is no limit; give "
                                + "pools.p.limits.in-flight-per-endpoint, or remove this key");
    }

    @Test
    void poolWithoutEndpoints() throws IOException {
        String text = "models:\n  m: {}\n" + POOL.replace("[ http://a ]", "[]");
        String problem =
                ":4: pools.p.endpoints: a pool needs at least one server, for example [ http://decode-0:8000 ], or "
                        + "discovery, which finds them";
        assertThat(problemsOf(text)).containsExactly(problem);
        assertThat(problemsOf(text.replace(", endpoints: []", ""))).containsExactly(problem);
    }

    @Test
    void sameEndpointTwice() throws IOException {
        assertThat(problemsOf("models:\n  m: {}\n" + POOL.replace("http://a ]", "http://a, http://b, http://a/ ]")))
                .containsExactly(":4: pools.p.endpoints[2]: 'http://a' is in this pool already; remove one");
    }

    @Test
    void nameOfTwoModels() throws IOException {
        String remedy = "; a name must mean one model, so remove one";
        assertThat(problemsOf(
                        """
                        models:
                          a: { aliases: [ x, b ] }
                          b:
                            aliases: [ y, x, y ]
                        pools:
                          p: { model: a, tokenizer: none, endpoints: [ http://a ] }
                          q: { model: b, tokenizer: none, endpoints: [ http://a ] }
                        """))
                .containsExactly(
                        ":2: models.a.aliases[1]: 'b' already names the model 'b'" + remedy,
                        ":4: models.b.aliases[1]: 'x' already names the model 'a'" + remedy,
                        ":4: models.b.aliases[2]: 'y' already names the model 'b'" + remedy);
    }

    @Test
    void combinedParserBesideAnother() throws IOException {
        for (String other : List.of("reasoning-parser", "tool-parser")) {
            assertThat(problemsOf("models:\n  m:\n    " + other + ": x\n    parser: y\n" + POOL))
                    .containsExactly(":4: models.m.parser: a combined parser replaces reasoning-parser and "
                            + "tool-parser; give either parser, or the other two");
        }
    }

    @Test
    void modelWithoutPoolThatDecodes() throws IOException {
        assertThat(problemsOf("models:\n  m: {}\n" + POOL.replace("model: m,", "model: m, role: prefill,")))
                .containsExactly(
                        ":2: models.m: no pool with role decode or both serves this model; add one, or remove the model",
                        ":4: pools.p: no pool with role decode and kv.group 'default' serves model 'm', so nothing uses "
                                + "what this pool computes; add one, or remove this pool");
    }

    @Test
    void prefillPoolWhoseGroupNoPoolDecodes() throws IOException {
        String pools = """
                models:
                  m: {}
                pools:
                  p: { model: m, role: prefill, tokenizer: none, endpoints: [http://p:1], kv: { group: a } }
                  d: { model: m, role: decode, tokenizer: none, endpoints: [http://d:1], kv: { group: %s } }
                """;
        assertThat(problemsOf(pools.formatted("b")))
                .singleElement()
                .asString()
                .startsWith(":4: pools.p: no pool with role decode and kv.group 'a' serves model 'm'");
    }

    @Test
    void keysOfPrefillPoolsInOtherPools() throws IOException {
        assertThat(problemsOf("""
                models:
                  m: {}
                pools:
                  d:
                    model: m
                    role: decode
                    tokenizer: none
                    endpoints: [http://d:1]
                    kv: { connector: nixl, without-prefill: fail }
                  b: { model: m, tokenizer: none, endpoints: [http://b:1], kv: { group: a } }
                """))
                .containsExactly(
                        ":9: pools.d.kv.connector: means nothing in a pool that does not prefill; give it to the prefill"
                                + " pools",
                        ":9: pools.d.kv.without-prefill: means nothing in a pool that does not prefill; give it to the"
                                + " prefill pools",
                        ":10: pools.b.kv: means nothing in a pool whose role is both: its servers compute their prompts;"
                                + " remove it");
    }

    @Test
    void sourceThatIsNoUri() throws IOException {
        assertThat(problemsOf("models:\n  m:\n    tokenizer:\n      source: 'hf://a b'\n" + POOL))
                .singleElement()
                .asString()
                .startsWith(":4: models.m.tokenizer.source: 'hf://a b' is neither a path nor a URI");
    }

    @Test
    void namesThatCannotBeUsed() throws IOException {
        assertThat(problemsOf(
                        """
                        models:
                          '': {}
                          m: {}
                        pools:
                          'süd 1': { model: m, tokenizer: none, endpoints: [ http://a ] }
                          ok_1.a-B: { model: m, tokenizer: none, endpoints: [ http://a ] }
                        """))
                .contains(
                        ":2: models.'': a model needs a name",
                        ":5: pools.'süd 1': the name of a pool is sent in a header, so use only letters, digits, "
                                + "'-', '_' and '.'")
                .noneMatch(problem -> problem.contains("ok_1"));
    }

    @Test
    void derenderOfServersThatAreNotAsked() throws IOException {
        assertThat(problemsOf("models:\n  m: {}\n" + POOL.replace("none,", "none, upstream-derender: stream,")))
                .containsExactly(":4: pools.p.upstream-derender: means nothing in a pool whose tokenizer setting is "
                        + "none; remove it");
    }

    @Test
    void aChatTemplateWithoutATokenizer() throws IOException {
        assertThat(problemsOf("models:\n  m: { chat-template: t.jinja }\n" + POOL))
                .containsExactly(":2: models.m.chat-template.source: a prompt is made of messages only where the proxy has the "
                        + "model's tokenizer; give models.m.tokenizer.source, or remove the key");
    }

    @Test
    void aPrefixThatIsNoPath() throws IOException {
        for (String prefix : List.of("llm", "/llm/", "/a b", "/")) {
            assertThat(problemsOf("models:\n  m: {}\n" + POOL + "doors: { happy-vllm-prefix: '" + prefix + "' }\n"))
                    .singleElement()
                    .asString()
                    .contains("doors.happy-vllm-prefix: '" + prefix + "' must be the start of a path");
        }
    }

    /** What is wrong, without the name of the file. */
    @Test
    void serversAreNamedOrFound() throws IOException {
        assertThat(problemsOf("""
                models: { m: {} }
                pools:
                  both:
                    model: m
                    tokenizer: none
                    endpoints: [ http://a ]
                    discovery: { name: dns, host: x, port: 1 }
                  found: { model: m, tokenizer: none, discovery: { name: dns, host: x, port: 1 } }
                """))
                .containsExactly(":7: pools.both.discovery: the servers are named by endpoints, or found by discovery; remove one"
                        + " of the two");
    }

    @Test
    void howServersAreWatchedMakesSense() throws IOException {
        assertThat(problemsOf("""
                models: { m: {} }
                pools:
                  p:
                    model: m
                    tokenizer: none
                    endpoints: [ http://a ]
                    watch:
                      health: { path: health }
                      ejection: { time: 2m, max-time: 1m }
                """))
                .containsExactly(
                        ":8: pools.p.watch.health.path: 'health' must be a path, starting with '/'",
                        ":9: pools.p.watch.ejection.max-time: is shorter than time; make it at least as long");
    }

    @Test
    void keysThatMeanNothingTogether() throws IOException {
        assertThat(problemsOf("""
                        server: { port: 8080, tls: { certificate-chain: a, private-key: b, client-auth: required } }
                        admin: { port: 8080 }
                        models: { m: {} }
                        pools:
                          p:
                            model: m
                            tokenizer: none
                            endpoints: [ http://a ]
                            tls: { private-key: c }
                        """))
                .containsExactlyInAnyOrder(
                        ":9: pools.p.tls: means nothing in a pool without https endpoints; write https:// before them, or"
                                + " remove it",
                        ":9: pools.p.tls: a certificate is of no use without its key, nor the key without it; give"
                                + " certificate-chain and private-key, or neither",
                        ":1: server.tls.client-auth: certificates of clients are compared with those of their issuers; give"
                                + " server.tls.client-ca",
                        ":2: admin.port: is the port of the clients (server.port); give another one");
    }

    private List<String> problemsOf(String text) throws IOException {
        Path file = Files.writeString(folder.resolve("glyphgate.yaml"), text);
        return catchThrowableOfType(ConfigException.class, () -> ConfigReader.read(file, Map.of())).problems().stream()
                .map(problem -> problem.toString().substring(file.toString().length()))
                .toList();
    }
}
