package io.glyphgate.proxy.config;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.core.util.Separators;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.glyphgate.proxy.config.ValueType.Plain;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The configuration as a JSON Schema, draft 2020-12. It says what one key allows; the reader checks more. */
final class ConfigSchema {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private ConfigSchema() {}

    /** The schema as the file has it. */
    static String text() {
        ObjectNode root = JSON.objectNode();
        root.put("$schema", "https://json-schema.org/draft/2020-12/schema");
        root.put("title", "Glyphgate configuration");
        root.setAll(block(ProxyConfig.class));
        DefaultIndenter lines = new DefaultIndenter("  ", "\n");
        DefaultPrettyPrinter printer = new DefaultPrettyPrinter(
                        Separators.createDefaultInstance().withObjectFieldValueSpacing(Separators.Spacing.AFTER))
                .withObjectIndenter(lines)
                .withArrayIndenter(lines);
        try {
            return new ObjectMapper().writer(printer).writeValueAsString(root) + "\n";
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree of JSON nodes is always JSON", e);
        }
    }

    private static ObjectNode block(Class<?> type) {
        List<Key> keys = Key.of(type);
        ObjectNode schema = JSON.objectNode().put("type", "object");
        ObjectNode properties = schema.putObject("properties");
        ArrayNode required = JSON.arrayNode();
        schema.put("additionalProperties", false);
        for (Key key : keys) {
            if (key.rest()) {
                ObjectNode option = JSON.objectNode().put("description", key.doc());
                // An option is text to the reader, whatever a YAML editor takes it for.
                option.putArray("type").add("string").add("number").add("boolean");
                schema.set("additionalProperties", option);
                continue;
            }
            ObjectNode property = JSON.objectNode().put("description", key.doc());
            property.setAll(value(key.type(), key.range()));
            if (key.defaultText() != null) {
                putDefault(property, key.type(), key.defaultText());
            }
            properties.set(key.name(), property);
            if (key.required()) {
                required.add(key.name());
            }
        }
        if (!required.isEmpty()) {
            schema.set("required", required);
        }
        Optional<Key> shorthand = keys.stream().filter(Key::shorthand).findFirst();
        if (shorthand.isEmpty()) {
            return schema;
        }
        ObjectNode either = JSON.objectNode();
        either.putArray("anyOf")
                .add(value(shorthand.get().type(), shorthand.get().range()))
                .add(schema);
        return either;
    }

    private static ObjectNode value(ValueType type, @Nullable Range range) {
        ObjectNode schema = JSON.objectNode();
        switch (type) {
            case ValueType.BlockOf block -> schema.setAll(block(block.type()));
            case ValueType.MapOf map ->
                schema.put("type", "object").set("additionalProperties", value(map.value(), range));
            case ValueType.ListOf list -> schema.put("type", "array").set("items", value(list.item(), range));
            case ValueType.Choice choice -> choice.names().forEach(schema.putArray("enum")::add);
            case Plain plain -> plain(schema, plain, range);
        }
        return schema;
    }

    private static void plain(ObjectNode schema, Plain type, @Nullable Range range) {
        switch (type) {
            case TEXT, LITERAL, PATH -> schema.put("type", "string").put("minLength", 1);
            case VALUE -> schema.putArray("type").add("string").add("integer").add("boolean");
            case FLAG -> schema.put("type", "boolean");
            case NUMBER -> {
                schema.put("type", "integer");
                if (range != null) {
                    schema.put("minimum", range.min()).put("maximum", range.max());
                }
            }
            case DURATION -> schema.put("type", "string").put("pattern", amount(Units.TIME));
            case SIZE -> schema.put("type", "string").put("pattern", amount(Units.SIZE));
            case PERCENT -> schema.put("type", "string").put("pattern", amount(Units.SHARE));
            case ADDRESS -> schema.put("type", "string").put("format", "uri").put("pattern", "^https?://[^/?#]+");
        }
    }

    private static String amount(Units units) {
        return "^[0-9]+\\s*(" + String.join("|", units.names()) + ")$";
    }

    private static void putDefault(ObjectNode schema, ValueType type, String text) {
        if (type == Plain.NUMBER) {
            schema.put("default", Integer.parseInt(text));
        } else if (type == Plain.FLAG) {
            schema.put("default", Boolean.parseBoolean(text));
        } else if (type instanceof ValueType.ListOf) {
            List.of(text.split(", ")).forEach(schema.putArray("default")::add);
        } else {
            schema.put("default", text);
        }
    }
}
