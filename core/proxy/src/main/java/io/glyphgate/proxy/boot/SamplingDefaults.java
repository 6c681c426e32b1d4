package io.glyphgate.proxy.boot;

import io.glyphgate.proxy.config.ConfigFile;
import io.glyphgate.proxy.config.KeyPath;
import io.glyphgate.proxy.config.Problem;
import io.glyphgate.proxy.config.ProxyConfig;
import io.glyphgate.proxy.wire.JsonValue;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The sampling parameters that a model recommends: vLLM takes them from its {@code generation_config.json}. */
final class SamplingDefaults {
    private static final String FILE = "generation_config.json";
    private static final String MAX_TOKENS = "max_tokens";
    /** What vLLM 0.33 takes from the file. */
    private static final List<String> NAMES = List.of("repetition_penalty", "temperature", "top_k", "top_p", "min_p");

    private SamplingDefaults() {}

    static Map<String, Object> of(ConfigFile file, String name, ProxyConfig.Model model, List<Problem> problems) {
        Map<String, Object> defaults = new LinkedHashMap<>();
        try {
            if (model.tokenizer().isPresent()) {
                URI source = file.locate(model.tokenizer().get().source());
                if ("file".equals(source.getScheme())) {
                    read(Path.of(source), defaults);
                }
            }
        } catch (IOException e) {
            problems.add(file.problem(
                    KeyPath.of("models", name, "tokenizer", "source"), "the " + FILE + " beside the tokenizer cannot be read: " + e));
        } catch (URISyntaxException e) {
            throw new IllegalStateException("the configuration was checked", e);
        }
        model.samplingDefaults().forEach((parameter, text) -> {
            KeyPath key = KeyPath.of("models", name, "sampling-defaults", parameter);
            if (!NAMES.contains(parameter) && !parameter.equals(MAX_TOKENS)) {
                problems.add(file.problem(key, "'" + parameter + "' has no default that could be set; these have one: " + NAMES + " and "
                        + MAX_TOKENS));
            } else if (JsonValue.orText(text) instanceof Number number) {
                defaults.put(parameter, number);
            } else {
                problems.add(file.problem(key, "'" + text + "' must be a number"));
            }
        });
        return defaults;
    }

    private static void read(Path tokenizer, Map<String, Object> into) throws IOException {
        Path folder = Files.isDirectory(tokenizer) ? tokenizer : tokenizer.resolveSibling(".");
        Path config = folder.resolve(FILE).normalize();
        if (!Files.exists(config) || !(JsonValue.parse(Files.readString(config)) instanceof Map<?, ?> values)) {
            return;
        }
        for (String name : NAMES) {
            if (values.get(name) instanceof Number number) {
                into.put(name, number);
            }
        }
        if (values.get("max_new_tokens") instanceof Number number) {
            into.put(MAX_TOKENS, number);
        }
    }
}
