package io.glyphgate.bench;

import io.glyphgate.benchmarks.Family;
import io.glyphgate.benchmarks.Installed;
import io.glyphgate.benchmarks.Output;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The outputs that the mock plays: for each model, by its name, one of any length in the notation of its family. */
final class Scripts implements AutoCloseable {
    /** The models of the configuration that is measured, and which parsers read them. */
    static final Map<String, String> FAMILIES = families();

    private static final int SHORTEST_MESSAGE = 64;

    /** In this order: a router that takes a server for that of its first model must find the one that all are asked for. */
    private static Map<String, String> families() {
        Map<String, String> families = new LinkedHashMap<>();
        families.put("hermes", "qwen3+hermes");
        families.put("coder", "step3p5+qwen3_coder");
        families.put("python", "pythonic");
        return families;
    }

    private record Key(String model, int tokens) {}

    private final Installed installed;
    private final Map<Key, int[]> scripts = new ConcurrentHashMap<>();

    Scripts() throws IOException {
        installed = Installed.load();
    }

    /** The tokens of an output; the same array each time. */
    int[] tokens(String model, int tokens) {
        return scripts.computeIfAbsent(new Key(model, tokens), this::make);
    }

    private int[] make(Key key) {
        Family family = Family.named(FAMILIES.getOrDefault(key.model, "qwen3+hermes"));
        if (key.tokens >= SHORTEST_MESSAGE) {
            return Output.of(family, key.tokens, installed.tokenizer());
        }
        int[] longer = Output.of(family, SHORTEST_MESSAGE, installed.tokenizer());
        int[] cut = new int[key.tokens];
        System.arraycopy(longer, 0, cut, 0, key.tokens);
        return cut;
    }

    @Override
    public void close() {
        installed.close();
    }
}
