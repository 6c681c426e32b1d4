package io.glyphgate.plugin.tokenizerhuggingface;

import static org.assertj.core.api.Assertions.assertThat;

import io.glyphgate.spi.Tokenizer;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TokenizerSettingsTest {
    @TempDir
    private Path folder;

    private Map<String, Object> settings(String config) throws IOException {
        SmallVocabulary.write(folder, "{\"type\": \"ByteLevel\"}", List.of("a"));
        Files.writeString(folder.resolve("tokenizer_config.json"), config);
        try (Tokenizer tokenizer = new HuggingFaceTokenizerProvider().load(folder.toUri(), Map.of())) {
            return tokenizer.settings();
        }
    }

    @Test
    void aFileWithoutOthersHasNoSettings() throws IOException {
        SmallVocabulary.write(folder, "{\"type\": \"ByteLevel\"}", List.of("a"));
        try (Tokenizer tokenizer = new HuggingFaceTokenizerProvider().load(folder.toUri(), Map.of())) {
            assertThat(tokenizer.settings()).isEmpty();
        }
    }

    @Test
    void valuesAreAsJsonHasThem() throws IOException {
        Map<String, Object> settings = settings("""
                {"bos_token": {"content": "<s>", "special": true}, "unk_token": null, "model_max_length": 1000000000000000019884624838656,
                 "legacy": true, "chat_template": "{{ messages }}"}
                """);
        assertThat(settings)
                .containsEntry("unk_token", null)
                .containsEntry("model_max_length", new BigInteger("1000000000000000019884624838656"))
                .containsEntry("legacy", true)
                .containsEntry("chat_template", "{{ messages }}");
        assertThat(settings.get("bos_token")).isEqualTo(Map.of("content", "<s>", "special", true));
    }

    @Test
    void severalTemplatesHaveNames() throws IOException {
        assertThat(settings("""
                        {"chat_template": [{"name": "default", "template": "d"}, {"name": "tool_use", "template": "t"}]}
                        """))
                .containsEntry("chat_template", Map.of("default", "d", "tool_use", "t"));
    }

    @Test
    void aTemplateInAFileOfItsOwnWins() throws IOException {
        Files.writeString(folder.resolve("chat_template.jinja"), "{{ '\u6771' }}\n");
        assertThat(settings("{\"chat_template\": \"old\"}")).containsEntry("chat_template", "{{ '\u6771' }}\n");
    }

    @Test
    void moreTemplatesLieInAFolder() throws IOException {
        Files.writeString(folder.resolve("chat_template.jinja"), "d");
        Path more = Files.createDirectories(folder.resolve("additional_chat_templates"));
        Files.writeString(more.resolve("rag.jinja"), "r");
        Files.writeString(more.resolve("notes.txt"), "no template");
        assertThat(settings("{}")).containsEntry("chat_template", Map.of("default", "d", "rag", "r"));
    }
}
