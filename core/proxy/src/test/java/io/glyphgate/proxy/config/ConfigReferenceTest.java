package io.glyphgate.proxy.config;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Holds the generated files to the records, and writes them when it is told to. */
class ConfigReferenceTest {
    private static final String WRITE = "glyphgate.write-reference";

    @Test
    void pageIsWhatTheRecordsSay() throws IOException {
        assertUpToDate("docs/reference/config.md", ConfigReference.text());
    }

    @Test
    void schemaIsWhatTheRecordsSay() throws IOException {
        assertUpToDate("config/glyphgate.schema.json", ConfigSchema.text());
    }

    private static void assertUpToDate(String name, String text) throws IOException {
        Path file = ExampleConfigs.root().resolve(name);
        if (Boolean.getBoolean(WRITE)) {
            Files.createDirectories(file.resolveSibling(""));
            Files.writeString(file, text);
        }
        assertThat(file)
                .as("%s is stale; write it with: mvn test -pl core/proxy -am -Dtest=ConfigReferenceTest "
                        + "-Dsurefire.failIfNoSpecifiedTests=false -D%s=true", name, WRITE)
                .content()
                .isEqualTo(text);
    }

    @Test
    void pageNamesEveryKeyOfEveryBlock() {
        String page = ConfigReference.text();
        assertThat(page)
                .contains("## `server`\n")
                .contains("## `models.<name>`\n")
                .contains("## `models.<name>.tokenizer`\n")
                .contains("## `pools.<name>.policy`\n\nMay be written as the value of `name` alone.\n")
                .contains("| `port` | number, 0 to 65535 | `8080` | The port to listen on; 0 takes a free one. |\n")
                .contains("| `drain` | duration, 0ms to 24h | `5m` |")
                .contains("| `max-body` | size, 1B to 1GiB | `32MiB` |")
                .contains("| `tokenizer` | one of `none`, `upstream`, `proxy` | must be given |")
                .contains("| `endpoints` | list (address) | none |")
                .contains("(#modelsnametokenizer) | none | The model's tokenizer;")
                .contains("| any other key | text | none | Options of the policy. |\n")
                .contains("| `server` | block, see [`server`](#server) | as below |")
                .contains("| `models` | block, see [`models.<name>`](#modelsname) | none |");
    }

    @Test
    void linksOfThePageLeadToItsSections() {
        String page = ConfigReference.text();
        List<String> targets = new ArrayList<>();
        Matcher links = Pattern.compile("\\(#([a-z-]+)\\)").matcher(page);
        while (links.find()) {
            targets.add(links.group(1));
        }
        List<String> titles = page.lines()
                .filter(line -> line.startsWith("## `"))
                .map(line -> line.replaceAll("[^a-z-]", ""))
                .toList();
        assertThat(titles).containsExactlyInAnyOrderElementsOf(targets).hasSizeGreaterThan(8);
    }

    @Test
    void schemaSaysWhatTheReaderTakes() throws IOException {
        JsonNode schema = new ObjectMapper().readTree(ConfigSchema.text());
        assertThat(schema.path("$schema").asText()).endsWith("2020-12/schema");
        assertThat(schema.path("additionalProperties").asBoolean(true)).isFalse();
        JsonNode port = schema.at("/properties/server/properties/port");
        assertThat(port.path("type").asText()).isEqualTo("integer");
        assertThat(port.path("default").asInt()).isEqualTo(8080);
        assertThat(port.path("maximum").asInt()).isEqualTo(65535);
        JsonNode pool = schema.at("/properties/pools/additionalProperties");
        assertThat(pool.path("required")).map(JsonNode::asText).containsExactly("model", "tokenizer");
        assertThat(pool.at("/properties/role/enum")).map(JsonNode::asText).containsExactly("prefill", "decode", "both", "render");
        assertThat(pool.at("/properties/policy/anyOf/0/type").asText()).isEqualTo("string");
        assertThat(pool.at("/properties/policy/anyOf/1/additionalProperties/type"))
                .map(JsonNode::asText)
                .containsExactly("string", "number", "boolean");
        String duration = schema.at("/properties/clients/properties/stall/pattern").asText();
        assertThat(List.of("2m", "250ms", "1 h")).allMatch(text -> text.matches(duration));
        assertThat(List.of("2", "2min", "m")).noneMatch(text -> text.matches(duration));
    }

    @Test
    void defaultsOfThePageAreThoseOfTheReader(@TempDir Path folder) throws IOException {
        String small = "models: { m: {} }\npools: { p: { model: m, tokenizer: none, endpoints: [ http://a ] } }\n";
        StringBuilder spelledOut = new StringBuilder(small);
        JsonNode blocks = new ObjectMapper().readTree(ConfigSchema.text()).path("properties");
        blocks.properties().forEach(block -> {
            JsonNode keys = block.getValue().path("properties");
            if (!keys.isEmpty() && !block.getValue().has("required")) { // one that can be left out has no defaults then
                spelledOut.append(block.getKey()).append(":\n");
                keys.properties().stream().filter(key -> key.getValue().has("default")).forEach(key -> spelledOut
                        .append("  ")
                        .append(key.getKey())
                        .append(": ")
                        .append(key.getValue().path("default").asText())
                        .append('\n'));
            }
        });
        ProxyConfig expected = read(folder.resolve("small.yaml"), small);
        assertThat(read(folder.resolve("whole.yaml"), spelledOut.toString())).isEqualTo(expected);
        assertThat(spelledOut.toString()).contains("  keep-alive: 15s\n");
    }

    private static ProxyConfig read(Path file, String text) throws IOException {
        return ConfigReader.read(Files.writeString(file, text), Map.of()).config();
    }
}
