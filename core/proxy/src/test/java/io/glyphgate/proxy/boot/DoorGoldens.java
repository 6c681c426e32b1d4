package io.glyphgate.proxy.boot;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Clock;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

/** Recorded requests of one server setup, and the configuration of a proxy that stands for it. */
record DoorGoldens(String name, List<DoorGolden> records) {
    static final Path RESOURCES = Path.of("src/test/resources/doors");
    private static final Path LLAMA2 = Path.of(
            "../../plugins/tokenizer-huggingface/src/test/resources/tokenizers/llama2/tokenizer.json.gz");
    private static final String TOKENIZER = "tokenizer.json";
    private static final String CONFIG = "tokenizer_config.json";

    /** The template of the setup whose server has one of its own. */
    private static final String SERVER_TEMPLATE = "{% for m in messages %}<{{ m.role }}>{{ m.content }}</{{ m.role }}>{% endfor %}"
            + "{% if add_generation_prompt %}<assistant>{% endif %}";

    /** Those of a folder. */
    static List<DoorGoldens> in(Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.getFileName().toString().matches("(happy|vllm)_[0-9_]+\\..*\\.jsonl(\\.gz)?"))
                    .sorted()
                    .map(DoorGoldens::read)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static DoorGoldens read(Path file) {
        String name = file.getFileName().toString();
        List<DoorGolden> records = new ArrayList<>();
        try (var in = Files.newInputStream(file);
                var lines = new BufferedReader(new InputStreamReader(
                        name.endsWith(".gz") ? new GZIPInputStream(in) : in, StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                records.add(new DoorGolden(Stage.JSON.readTree(line)));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new DoorGoldens(name.replaceFirst("\\.jsonl.*", ""), records);
    }

    @Override
    public String toString() {
        return name;
    }

    private DoorGolden first() {
        return records.getFirst();
    }

    /** The day on which templates were rendered; any day if none printed it. */
    Clock clock() {
        LocalDate day = records.stream()
                .flatMap(golden -> golden.date().stream())
                .findFirst()
                .map(LocalDate::parse)
                .orElse(LocalDate.EPOCH);
        return Clock.fixed(day.atTime(12, 0).toInstant(ZoneOffset.UTC), ZoneOffset.UTC);
    }

    /** The options of the server with their values. */
    private Map<String, List<String>> flags() {
        Map<String, List<String>> flags = new LinkedHashMap<>();
        List<String> values = new ArrayList<>();
        for (String word : first().flags()) {
            if (word.startsWith("--")) {
                values = new ArrayList<>();
                flags.put(word, values);
            } else {
                values.add(word);
            }
        }
        return flags;
    }

    /** The configuration of a proxy that stands for the server; empty if its tokenizer is not at hand. */
    Optional<String> configuration(Path work) throws IOException {
        List<String> names = new ArrayList<>();
        ObjectNode doors = Stage.JSON.createObjectNode();
        ObjectNode model = Stage.JSON.createObjectNode();
        ObjectNode template = model.putObject("chat-template");
        String setting = "proxy";
        boolean happy = first().isHappy();
        doors.put("happy-vllm", happy).put("tokenize", !happy).put("trust-request-chat-template", happy);
        records.stream()
                .map(golden -> golden.response().path("max_model_len"))
                .filter(JsonNode::isInt)
                .findFirst()
                .ifPresent(length -> model.set("max-model-len", length));
        for (Map.Entry<String, List<String>> flag : flags().entrySet()) {
            String value = flag.getValue().isEmpty() ? "" : flag.getValue().getFirst();
            switch (flag.getKey()) {
                case "--served-model-name" -> names.addAll(flag.getValue());
                case "--api-endpoint-prefix" -> doors.put("happy-vllm-prefix", value);
                case "--enable-tokenizer-info-endpoint" -> doors.put("tokenizer-info", true);
                case "--trust-request-chat-template" -> doors.put("trust-request-chat-template", true);
                case "--max-model-len" -> model.put("max-model-len", Integer.parseInt(value));
                case "--default-chat-template-kwargs" -> {
                    ObjectNode arguments = template.putObject("default-arguments");
                    Stage.JSON.readTree(value).properties().forEach(each -> arguments.put(
                            each.getKey(), each.getValue().toString()));
                }
                case "--chat-template" -> template.put(
                        "source", Files.writeString(work.resolve("server.jinja"), SERVER_TEMPLATE).toString());
                case "--skip-tokenizer-init" -> setting = "none";
                default -> {
                    // of no matter to these doors
                }
            }
        }
        if (setting.equals("proxy")) {
            Optional<Path> folder = tokenizer(first().tokenizer().replace("_short", ""), work);
            if (folder.isEmpty()) {
                return Optional.empty();
            }
            model.putObject("tokenizer")
                    .put("source", folder.get().toString())
                    .put("stack", happy ? "transformers-4" : "transformers-5");
        }
        if (names.isEmpty()) {
            names.add(happy ? "my_model" : "/models/" + first().tokenizer());
        }
        ArrayNode aliases = model.putArray("aliases");
        names.subList(1, names.size()).forEach(aliases::add);
        ObjectNode config = Stage.JSON.createObjectNode();
        config.putObject("server").put("host", "127.0.0.1").put("port", 0);
        config.putObject("models").set(names.getFirst(), model);
        config.putObject("pools")
                .putObject("servers")
                .put("model", names.getFirst())
                .put("tokenizer", setting)
                .putArray("endpoints")
                .add(Stage.nobody().toString());
        config.set("doors", doors);
        return Optional.of(config.toString()); // JSON is YAML, too
    }

    /**
     * The folder of a tokenizer as its maker publishes it: from the system property {@code glyphgate.raw-tokenizers}, or put
     * together from what the project has.
     */
    private static Optional<Path> tokenizer(String name, Path work) throws IOException {
        String folder = System.getProperty("glyphgate.raw-tokenizers");
        if (folder != null && Files.isDirectory(Path.of(folder, name))) {
            return Optional.of(Path.of(folder, name).toAbsolutePath());
        }
        Path config = RESOURCES.resolve(name + ".tokenizer_config.json.gz");
        if (!Files.exists(config)) {
            return Optional.empty();
        }
        Path target = Files.createDirectories(work.resolve(name));
        Files.copy(config, target.resolve(CONFIG + ".gz"), StandardCopyOption.REPLACE_EXISTING);
        Path qwen3 = Stage.QWEN3.resolve(TOKENIZER + ".gz");
        switch (name) {
            case "llama2" -> Files.copy(LLAMA2, target.resolve(TOKENIZER + ".gz"), StandardCopyOption.REPLACE_EXISTING);
            case "qwen3" -> Files.copy(qwen3, target.resolve(TOKENIZER + ".gz"), StandardCopyOption.REPLACE_EXISTING);
            case "qwen2_5" -> Files.writeString(target.resolve(TOKENIZER), withoutTokensFrom(qwen3, 151_665));
            default -> throw new IllegalArgumentException("there is a configuration of " + name + ", but no tokenizer");
        }
        return Optional.of(target.toAbsolutePath());
    }

    /** Qwen 2.5 has the vocabulary of Qwen 3 with fewer added tokens. */
    private static String withoutTokensFrom(Path file, int id) throws IOException {
        try (var in = new GZIPInputStream(Files.newInputStream(file))) {
            ObjectNode tokenizer = (ObjectNode) Stage.JSON.readTree(in);
            for (Iterator<JsonNode> added = tokenizer.path("added_tokens").iterator(); added.hasNext(); ) {
                if (added.next().path("id").asInt() >= id) {
                    added.remove();
                }
            }
            return Stage.JSON.writeValueAsString(tokenizer);
        } catch (JsonProcessingException e) {
            throw new AssertionError("a tree is always JSON", e);
        }
    }
}
