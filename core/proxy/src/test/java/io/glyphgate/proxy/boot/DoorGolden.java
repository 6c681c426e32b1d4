package io.glyphgate.proxy.boot;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.StreamSupport;

/** A request to a door and its answer, recorded from vLLM or happy_vLLM. */
record DoorGolden(JsonNode json) {
    /** What came back. */
    record Reply(int status, String type, String body) {
        /** The body; a text where it is no JSON. */
        JsonNode json() {
            try {
                return type.contains("json") ? Stage.JSON.readTree(body) : Stage.JSON.getNodeFactory().textNode(body);
            } catch (IOException e) {
                return Stage.JSON.getNodeFactory().textNode(body);
            }
        }
    }

    String id() {
        return json.path("id").asText();
    }

    String server() {
        return json.path("server").asText();
    }

    boolean isHappy() {
        return server().startsWith("happy");
    }

    String tokenizer() {
        return json.path("tokenizer").asText();
    }

    List<String> flags() {
        return StreamSupport.stream(json.path("flags").spliterator(), false)
                .map(JsonNode::asText)
                .toList();
    }

    String method() {
        return json.path("method").asText();
    }

    /** The path of the request. */
    String endpoint() {
        return json.path("endpoint").asText();
    }

    int status() {
        return json.path("status").asInt();
    }

    JsonNode response() {
        return json.path("response");
    }

    /** The request's body as JSON; a missing node if it has none, or is no JSON. */
    JsonNode request() {
        if (json.has("request_raw")) {
            try {
                return Stage.JSON.readTree(json.path("request_raw").asText());
            } catch (IOException e) {
                return Stage.JSON.missingNode();
            }
        }
        return json.path("request");
    }

    /** The day that a template printed. */
    Optional<String> date() {
        return Optional.ofNullable(json.path("date").textValue());
    }

    HttpRequest toHttp(URI proxy) {
        HttpRequest.Builder http = HttpRequest.newBuilder(proxy.resolve(endpoint())).timeout(Stage.LIMIT);
        boolean typed = false;
        for (var header : json.path("headers").properties()) {
            http.header(header.getKey(), header.getValue().asText());
            typed |= header.getKey().equalsIgnoreCase("content-type");
        }
        Optional<byte[]> body = body();
        if (body.isPresent() && !typed) {
            http.header("Content-Type", "application/json");
        }
        return http.method(
                        method(),
                        body.map(HttpRequest.BodyPublishers::ofByteArray).orElseGet(HttpRequest.BodyPublishers::noBody))
                .build();
    }

    private Optional<byte[]> body() {
        if (json.has("request_raw")) {
            return Optional.of(json.path("request_raw").asText().getBytes(StandardCharsets.UTF_8));
        }
        return json.hasNonNull("request")
                ? Optional.of(json.path("request").toString().getBytes(StandardCharsets.UTF_8))
                : Optional.empty();
    }

    /** Whether a reply is the recorded one: the status, and the body; of an error only what does not belong to a library. */
    boolean isAnsweredBy(Reply reply) {
        if (reply.status() != status()) {
            return false;
        }
        if (json.has("omitted") || !json.has("response")) {
            return true;
        }
        return status() >= 400
                ? face(response()).equals(face(reply.json()))
                : withoutVolatile(response()).equals(withoutVolatile(reply.json()));
    }

    private JsonNode withoutVolatile(JsonNode body) {
        JsonNode copy = body.deepCopy();
        json.path("volatile").forEach(path -> remove(copy, path.asText().replaceFirst("^\\$\\.?", "")));
        return copy;
    }

    private static void remove(JsonNode node, String path) {
        String[] steps = path.split("\\.", 2);
        if (steps[0].endsWith("[]")) {
            node.path(steps[0].substring(0, steps[0].length() - 2)).forEach(each -> remove(each, steps[1]));
        } else if (steps.length == 1) {
            if (node instanceof ObjectNode object) {
                object.remove(path);
            }
        } else {
            remove(node.path(steps[0]), steps[1]);
        }
    }

    /** What of an error clients can depend on. */
    static List<String> face(JsonNode body) {
        JsonNode error = body.path("error");
        if (error.isObject()) {
            return List.of("nested", error.path("type").asText(), error.path("code").asText(), error.path("param").toString());
        }
        if (body.path("object").asText().equals("error")) {
            return List.of("flat", body.path("type").asText(), body.path("code").asText(), body.path("param").toString());
        }
        if (body.path("detail").isArray()) {
            List<String> faults = new ArrayList<>(List.of("detail"));
            body.path("detail").forEach(fault -> faults.add(fault.path("type").asText() + fault.path("loc")));
            return faults;
        }
        return body.isObject() ? List.of("other", body.toString()) : List.of("text");
    }
}
