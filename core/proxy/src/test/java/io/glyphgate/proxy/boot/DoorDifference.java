package io.glyphgate.proxy.boot;

import com.fasterxml.jackson.databind.JsonNode;
import io.glyphgate.proxy.boot.DoorGolden.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.function.Predicate;

/**
 * A deliberate difference of the doors for tokens and texts from vLLM and happy_vLLM.
 *
 * @param id its number on the documentation's page on differences
 * @param title what is different
 * @param about which requests it is about
 * @param promised whether a reply is the one that is promised instead
 */
record DoorDifference(
        String id, String title, Predicate<DoorGolden> about, BiPredicate<DoorGolden, Reply> promised) {
    private static final Set<String> ABOUT_THE_PROXY = Set.of("/health", "/metrics", "/openapi.json");
    private static final Set<String> OF_THE_SERVER =
            Set.of("/version", "/ping", "/load", "/docs", "/redoc", "/v1/launch_arguments", "/v1/abort_request");

    static final List<DoorDifference> ALL = List.of(
            new DoorDifference(
                    "T1",
                    "Bad input is the client's fault",
                    golden -> golden.isHappy() && golden.status() == 500,
                    (golden, reply) -> (reply.status() == 422 && reply.json().path("detail").isArray())
                            || (reply.status() == 400 && !DoorGolden.face(reply.json()).getFirst().equals("text"))),
            new DoorDifference(
                    "T2",
                    "The proxy speaks for itself at its own doors",
                    golden -> ABOUT_THE_PROXY.contains(golden.endpoint()),
                    (golden, reply) -> reply.status() == 200),
            new DoorDifference(
                    "T3",
                    "Doors that tell of one server are not offered",
                    golden -> OF_THE_SERVER.contains(unprefixed(golden)),
                    (golden, reply) -> reply.status() == 404 && reply.json().path("detail").asText().equals("Not Found")),
            new DoorDifference(
                    "T4",
                    "The models are those of the proxy",
                    golden -> unprefixed(golden).equals("/v1/models"),
                    (golden, reply) -> reply.status() == 200 && ids(reply.json()).containsAll(ids(golden.response()))),
            new DoorDifference(
                    "T5",
                    "The application is the proxy",
                    golden -> unprefixed(golden).equals("/v1/info") && golden.status() == 200,
                    (golden, reply) -> reply.status() == 200
                            && reply.json().path("application").asText().equals("glyphgate")
                            && List.of("model_name", "truncation_side", "max_length", "extra_information").stream()
                                    .allMatch(name -> reply.json().path(name).equals(golden.response().path(name)))),
            new DoorDifference(
                    "T6",
                    "The settings of a tokenizer are those of its files",
                    golden -> golden.endpoint().equals("/tokenizer_info") && golden.status() == 200,
                    (golden, reply) -> reply.status() == 200
                            && !reply.json().has("name_or_path")
                            && reply.json().path("chat_template").isTextual()
                            && List.of("bos_token", "eos_token", "unk_token", "truncation_side").stream()
                                    .allMatch(name -> reply.json().path(name).asText().equals(golden.response().path(name).asText()))));

    /** The rule that a record is about. */
    static Optional<DoorDifference> about(DoorGolden golden) {
        return ALL.stream().filter(rule -> rule.about().test(golden)).findFirst();
    }

    private static String unprefixed(DoorGolden golden) {
        int prefix = golden.flags().indexOf("--api-endpoint-prefix");
        return prefix < 0 ? golden.endpoint() : golden.endpoint().replaceFirst("^" + golden.flags().get(prefix + 1), "");
    }

    private static List<String> ids(JsonNode models) {
        List<String> ids = new ArrayList<>();
        models.path("data").forEach(model -> ids.add(model.path("id").asText()));
        return ids;
    }
}
