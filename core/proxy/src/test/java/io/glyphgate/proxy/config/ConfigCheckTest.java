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
    void poolWithoutEndpoints() throws IOException {
        String text = "models:\n  m: {}\n" + POOL.replace("[ http://a ]", "[]");
        String problem =
                ":4: pools.p.endpoints: a pool needs at least one server; for example [ http://decode-0:8000 ]";
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
                .containsExactly(":2: models.m: no pool with role decode or both serves this model; add one, or "
                        + "remove the model");
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
    private List<String> problemsOf(String text) throws IOException {
        Path file = Files.writeString(folder.resolve("glyphgate.yaml"), text);
        return catchThrowableOfType(ConfigException.class, () -> ConfigReader.read(file, Map.of())).problems().stream()
                .map(problem -> problem.toString().substring(file.toString().length()))
                .toList();
    }
}
