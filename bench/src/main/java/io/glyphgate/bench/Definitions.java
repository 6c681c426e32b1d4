package io.glyphgate.bench;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** What is measured: {@code scenarios.json} and {@code systems.json}. */
final class Definitions {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    /** The form of a request. */
    enum Door {
        /** {@code /inference/v1/generate}. */
        @JsonProperty("generate")
        GENERATE,
        /** {@code /v1/completions}. */
        @JsonProperty("completions")
        COMPLETIONS,
        /** {@code /v1/chat/completions}. */
        @JsonProperty("chat")
        CHAT
    }

    /**
     * One way to ask one process.
     *
     * @param name what the tables call it
     * @param peer the process, as {@code bench/peers} knows it; ways that share it name the same
     * @param door how it is asked
     * @param model the model that it is asked for
     * @param mode the output mode at {@link Door#GENERATE}
     * @param ownEngine whether it takes tokens from an engine of its own, and not from the mock
     */
    record Way(String name, String peer, Door door, String model, String mode, boolean ownEngine) {
        /** Whether it is the proxy that is measured, and not a peer of it. */
        boolean own() {
            return peer.startsWith("glyphgate");
        }
    }

    /**
     * One kind of traffic.
     *
     * @param name what the tables call it
     * @param clients how many requests there are at a time
     * @param tokens how many tokens each answer has
     * @param requests how many requests there are in all
     * @param paceMicros the time between two tokens of a stream; 0 for as fast as they are taken
     * @param logprobs how many of the likeliest tokens come with each
     * @param batch whether the answers are no streams
     * @param quick whether it is part of a quick run
     * @param ways which ways it is for, by their names; all if there are none
     */
    record Scenario(
            String name,
            int clients,
            int tokens,
            int requests,
            int paceMicros,
            int logprobs,
            boolean batch,
            boolean quick,
            List<String> ways) {
        Scenario {
            ways = ways == null ? List.of() : List.copyOf(ways);
        }

        boolean isFor(Way way) {
            return ways.isEmpty() ? !way.name.contains(":") : ways.contains(way.name);
        }
    }

    private Definitions() {}

    static List<Scenario> scenarios(Path folder) throws IOException {
        return List.of(JSON.readValue(folder.resolve("scenarios.json").toFile(), Scenario[].class));
    }

    static List<Way> ways(Path folder) throws IOException {
        return List.of(JSON.readValue(folder.resolve("systems.json").toFile(), Way[].class));
    }
}
