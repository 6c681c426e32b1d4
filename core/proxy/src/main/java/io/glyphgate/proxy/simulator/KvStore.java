package io.glyphgate.proxy.simulator;

import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Set;

/** A store of computed prompts that played servers share. It keeps the last ones, whoever wants them, and however often. */
public final class KvStore {
    private static final int MOST = 1000;

    private final Set<String> prompts = new LinkedHashSet<>();

    /** An empty store. */
    public KvStore() {}

    synchronized void save(GenerateCall call) {
        if (prompts.add(key(call)) && prompts.size() > MOST) {
            prompts.remove(prompts.iterator().next());
        }
    }

    synchronized boolean has(GenerateCall call) {
        return prompts.contains(key(call));
    }

    /** What the hash of a prompt is made of. */
    private static String key(GenerateCall call) {
        return call.field("cache_salt").orElse("") + Arrays.toString(call.promptTokenIds());
    }
}
