package io.glyphgate.proxy.wire;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.glyphgate.spi.InvalidRequestException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What an output must look like, by {@code structured_outputs}, by {@code response_format}, and by the functions that are offered.
 * How they go together is vLLM 0.33's.
 */
final class Constraint {
    /** The field that both a request and its sampling parameters have. */
    static final String FIELD = "structured_outputs";

    private static final List<String> KINDS = List.of("json", "regex", "choice", "grammar", "json_object", "structural_tag");
    private static final String TAG = "structural_tag";
    private static final String FORMAT = "format";
    private static final String TYPE = "type";

    private Constraint() {}

    /**
     * The constraint of a request.
     *
     * @param body the request
     * @param rules what the model says
     * @return {@code structured_outputs} of the sampling parameters; null if the model may do as it likes
     * @throws InvalidRequestException if there is more than one, or one that contradicts a demanded call
     */
    static @Nullable ObjectNode of(ObjectNode body, CallRules rules) {
        ObjectNode content = ofContent(body);
        Optional<String> kind = kind(given(body));
        if (kind.isEmpty() && body.hasNonNull(FIELD)) {
            throw new InvalidRequestException(FIELD, "structured_outputs must have one of " + KINDS + ".");
        }
        if (rules.demanded()) {
            if (kind.isPresent()) {
                throw new InvalidRequestException(
                        FIELD,
                        "tool_choice demands a call, so the output cannot follow structured_outputs." + kind.get()
                                + " too: remove one of them.");
            }
            content = null; // without content there is nothing that response_format could be about
        }
        if (content == null) {
            return rules.calls().map(Constraint::written).orElse(null);
        }
        ObjectNode framed = framed(content, rules);
        if (rules.beside().isEmpty()) {
            return framed;
        }
        Optional<ObjectNode> format = format(framed);
        if (format.isEmpty() || !rules.beside().get().containsKey(TAG)) {
            return framed;
        }
        ObjectNode either = Json.MAPPER.createObjectNode().put(TYPE, "or");
        either.putArray("elements")
                .add(Json.MAPPER.<JsonNode>valueToTree(rules.beside().get().get(TAG)).path(FORMAT))
                .add(format.get());
        ObjectNode tag = Json.MAPPER.createObjectNode().put(TYPE, TAG);
        tag.set(FORMAT, either);
        return Json.MAPPER.createObjectNode().put(TAG, tag.toString());
    }

    private static ObjectNode given(ObjectNode body) {
        return body.path(FIELD) instanceof ObjectNode given ? given : Json.MAPPER.createObjectNode();
    }

    /** What the content must look like; null if nothing says so. */
    private static @Nullable ObjectNode ofContent(ObjectNode body) {
        ObjectNode constraint = given(body).deepCopy();
        JsonNode format = body.path("response_format");
        switch (format.path(TYPE).asText()) {
            case "json_object" -> constraint.put("json_object", true);
            case "json_schema" -> {
                JsonNode schema = format.path("json_schema").path("schema");
                constraint.set("json", schema.isObject() ? schema : Json.MAPPER.createObjectNode());
            }
            case TAG -> constraint.put(TAG, format.toString());
            default -> {
                // no more than structured_outputs says
            }
        }
        return kind(constraint).isEmpty() ? null : constraint;
    }

    /** The kind of a constraint; empty if it is none. */
    private static Optional<String> kind(ObjectNode constraint) {
        TreeSet<String> kinds = new TreeSet<>();
        for (String kind : KINDS) {
            JsonNode value = constraint.path(kind);
            if (!value.isMissingNode() && !value.isNull()) {
                kinds.add(kind);
            }
        }
        if (kinds.size() > 1) {
            throw new InvalidRequestException(
                    FIELD,
                    "The output can follow one constraint only, but structured_outputs and response_format ask for " + kinds + ".");
        }
        return kinds.stream().findFirst();
    }

    /** A constraint of the content, in the frame that the model's format has for content. */
    private static ObjectNode framed(ObjectNode content, CallRules rules) {
        Optional<ObjectNode> format = format(content);
        Map<String, Object> plain =
                format.map(ParseRequestReader::plain).orElseGet(() -> Map.of(TYPE, "any_text"));
        Optional<Map<String, Object>> framed = rules.frame().apply(plain);
        if (framed.isEmpty()) {
            return content;
        }
        if (format.isEmpty()) {
            throw new InvalidRequestException(
                    FIELD,
                    "The grammar must be in EBNF (with ::=), because it becomes a part of the grammar of the model's messages.");
        }
        ObjectNode constraint = content.deepCopy();
        constraint.remove(KINDS);
        constraint.setAll(written(framed.get()));
        return constraint;
    }

    private static ObjectNode written(Map<String, Object> constraint) {
        ObjectNode written = Json.MAPPER.createObjectNode();
        constraint.forEach((name, value) -> {
            JsonNode tree = Json.MAPPER.valueToTree(value);
            written.set(name, name.equals(TAG) ? written.textNode(tree.toString()) : tree);
        });
        return written;
    }

    /** A constraint as a format of structural tags; empty if it cannot be one: xgrammar's grammars are EBNF. */
    private static Optional<ObjectNode> format(ObjectNode constraint) {
        ObjectNode format = Json.MAPPER.createObjectNode();
        String kind = kind(constraint).orElseThrow();
        JsonNode value = constraint.path(kind);
        switch (kind) {
            case "json_object" -> format.put(TYPE, "json_schema").putObject("json_schema").put(TYPE, "object");
            case "json" -> format.put(TYPE, "json_schema").set("json_schema", value.isTextual() ? tree(value, kind) : value);
            case "regex" -> format.put(TYPE, "regex").set("pattern", value);
            case "choice" -> {
                ArrayNode elements = format.put(TYPE, "or").putArray("elements");
                value.forEach(each -> elements.addObject().put(TYPE, "const_string").set("value", each));
            }
            case "grammar" -> {
                if (!value.asText().contains("::=")) {
                    return Optional.empty();
                }
                format.put(TYPE, "grammar").set("grammar", value);
            }
            default -> {
                return tagged(tree(value, kind));
            }
        }
        return Optional.of(format);
    }

    /** The format of a structural tag, which may be of the older kind. */
    private static Optional<ObjectNode> tagged(JsonNode tag) {
        if (!tag.has("structures")) {
            return tag.path(FORMAT) instanceof ObjectNode format ? Optional.of(format) : Optional.empty();
        }
        ObjectNode format = Json.MAPPER.createObjectNode().put(TYPE, "triggered_tags");
        format.set("triggers", tag.path("triggers"));
        ArrayNode tags = format.putArray("tags");
        for (JsonNode structure : tag.path("structures")) {
            ObjectNode each = tags.addObject().put(TYPE, "tag");
            each.set("begin", structure.path("begin"));
            each.putObject("content").put(TYPE, "json_schema").set("json_schema", structure.path("schema"));
            each.set("end", structure.path("end"));
        }
        return Optional.of(format);
    }

    private static JsonNode tree(JsonNode text, String kind) {
        try {
            return Json.MAPPER.readTree(text.asText());
        } catch (JsonProcessingException e) {
            throw new InvalidRequestException(FIELD + "." + kind, FIELD + "." + kind + " is not valid JSON.");
        }
    }
}
