package io.glyphgate.proxy.format;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.glyphgate.proxy.format.DelimiterPattern.Part;
import io.glyphgate.spi.ParserProvider;
import io.glyphgate.spi.ToolOpener;
import io.glyphgate.toolkit.Arguments;
import io.glyphgate.toolkit.Arguments.Tagged.Space;
import io.glyphgate.toolkit.CallFormat;
import io.glyphgate.toolkit.FormatReasoningParserProvider;
import io.glyphgate.toolkit.FormatToolParserProvider;
import io.glyphgate.toolkit.OpenedReasoningFormat;
import io.glyphgate.toolkit.ReasoningDescription;
import io.glyphgate.toolkit.ReasoningFormat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Parsers of the format that a tokenizer's own {@code response_template} describes, as Hugging Face's transformers read
 * it (version 1), as far as the toolkit can express it: thoughts, content and calls between literals, with calls as
 * JSON, or as a name and JSON, or as a name and tags. The rest is refused with its key.
 */
public final class ResponseTemplate {
    /** The name of the parsers. */
    public static final String NAME = "hf";

    private static final String FILE = "tokenizer_config.json";
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Pattern TAG = Pattern.compile("<([A-Za-z][\\w:.-]*)");
    private static final String AT_START = "(?:^|";
    private static final Set<String> FIELDS = Set.of("thinking", "content", "tool_calls");
    private static final Set<String> KEYS = Set.of(
            "open", "open_pattern", "close", "close_pattern", "content", "content_args", "repeats", "join", "optional",
            "transform", "transform_each");

    private final Path file;
    private final JsonNode template;

    private ResponseTemplate(Path file, JsonNode template) {
        this.file = file;
        this.template = template;
    }

    /**
     * Makes the parsers of a tokenizer's template.
     *
     * @param tokenizer a tokenizer's folder, or a file in it
     * @param reasoning whether there must be a reasoning parser
     * @param tools whether there must be a tool parser
     * @return a reasoning parser, a tool parser, or both
     * @throws IOException if there is no template, or it says what cannot be expressed; the message tells the key, why,
     *     and what to do
     */
    public static List<ParserProvider> parsers(Path tokenizer, boolean reasoning, boolean tools) throws IOException {
        Path file = Files.isDirectory(tokenizer) ? tokenizer.resolve(FILE) : tokenizer.resolveSibling(FILE);
        if (!Files.exists(file)) {
            throw new IOException(
                    "there is no " + file + " with a response_template; describe the format under parsers");
        }
        JsonNode config;
        try {
            config = JSON.readTree(file.toFile());
        } catch (JsonProcessingException e) {
            throw new IOException(file + " is not JSON: " + e.getOriginalMessage(), e);
        }
        JsonNode template = config.path("response_template");
        if (!template.isObject()) {
            throw new IOException(file + " has no response_template"
                    + (config.has("response_schema")
                            ? "; its response_schema is of an older form, which transformers read no more either"
                            : "")
                    + "; describe the format under parsers");
        }
        return new ResponseTemplate(file, template).parsers(reasoning, tools);
    }

    private List<ParserProvider> parsers(boolean reasoning, boolean tools) throws IOException {
        only("", template, Set.of("version", "defaults", "fields", "start_anchor", "start_anchor_pattern"));
        if (template.path("version").asInt(1) != 1) {
            throw refused("version", "is " + template.get("version") + ", and only 1 is known");
        }
        JsonNode fields = template.path("fields");
        only("fields.", fields, FIELDS);
        for (Map.Entry<String, JsonNode> field : fields.properties()) {
            only("fields." + field.getKey() + ".", field.getValue(), KEYS);
        }
        List<ParserProvider> parsers = new ArrayList<>();
        try {
            if (fields.has("thinking")) {
                parsers.add(new FormatReasoningParserProvider(
                        NAME, reasoning(fields.get("thinking"), fields.path("content"))));
            } else if (fields.path("content").has("open") || fields.path("content").has("open_pattern")) {
                throw refused("fields.content.open", "markers around content are dropped beside a thinking field only");
            }
            if (fields.has("tool_calls")) {
                parsers.add(new FormatToolParserProvider(NAME, tools(fields.get("tool_calls"))));
            }
        } catch (IllegalArgumentException e) {
            throw refused("fields", String.valueOf(e.getMessage()));
        }
        if (parsers.isEmpty() || (reasoning && !fields.has("thinking")) || (tools && !fields.has("tool_calls"))) {
            String half = tools ? "tool_calls" : "thinking or tool_calls";
            throw refused("fields", "has no " + (reasoning && !fields.has("thinking") ? "thinking" : half)
                    + ", so there is nothing to parse");
        }
        return parsers;
    }

    private ReasoningDescription reasoning(JsonNode field, JsonNode content) throws IOException {
        text("fields.thinking", field);
        text("fields.content", content);
        List<String> turns = literals("start_anchor", template, "start_anchor");
        List<String> closes = literals("fields.thinking.close", field, "close");
        if (closes.isEmpty()) {
            throw refused("fields.thinking.close", "is missing, so nothing would end the reasoning");
        }
        boolean trimmed = field.path("content_args").path("strip").asBoolean(true);
        String pattern = field.path("open_pattern").asText("");
        if (pattern.startsWith(AT_START) && pattern.endsWith(")")) {
            List<String> open = DelimiterPattern.of(pattern.substring(AT_START.length(), pattern.length() - 1))
                    .filter(parsed -> parsed.shape().matches("ts?"))
                    .map(DelimiterPattern::texts)
                    .orElseThrow(() -> unknown("fields.thinking.open_pattern", pattern));
            if (content.has("open") || content.has("open_pattern")) {
                throw refused(
                        "fields.content.open",
                        "markers around content cannot be dropped where the output starts in its thoughts");
            }
            if (closes.size() > 1) {
                throw refused("fields.thinking.close", "has several markers where the output starts in its thoughts");
            }
            ReasoningFormat format = new ReasoningFormat(open.getFirst(), closes.getFirst(), false, Map.of(), turns);
            return trimmed ? format.trimming() : format;
        }
        List<String> opens = literals("fields.thinking.open", field, "open");
        if (opens.isEmpty()) {
            throw refused("fields.thinking.open", "is missing; text without a marker is content");
        }
        List<String> dropped = new ArrayList<>(literals("fields.content.open", content, "open"));
        dropped.addAll(literals("fields.content.close", content, "close"));
        dropped.removeAll(opens);
        return new OpenedReasoningFormat(
                opens, closes, false, "", dropped.stream().distinct().toList(), trimmed, turns);
    }

    private CallFormat tools(JsonNode field) throws IOException {
        String content = field.path("content").asText("text");
        List<String> closes = literals("fields.tool_calls.close", field, "close");
        CallFormat.Builder builder;
        if (field.has("open_pattern")) {
            String expression = field.get("open_pattern").asText();
            DelimiterPattern open = pattern("fields.tool_calls.open_pattern", expression, "t(st)?nt?");
            whole(field);
            builder = CallFormat.of(arguments(content, field.path("content_args")));
            openers(open, closes, builder);
            boolean bare = !open.shape().endsWith("t");
            if (bare && !field.path("content_args").path("unquoted_keys").asBoolean()) {
                throw refused("fields.tool_calls.open_pattern", "must say what stands behind the name");
            }
            builder.nameEnd(bare ? "{" : open.texts().getLast());
        } else {
            if (!content.equals("json") || field.has("content_args")) {
                throw refused(
                        "fields.tool_calls.content", "must be json without content_args where open_pattern gives no name");
            }
            Arguments.JsonCall call = jsonCall(field);
            boolean each = field.path("transform_each").asBoolean();
            builder = CallFormat.of(each ? new Arguments.JsonCalls(call) : call);
            List<String> opens = literals("fields.tool_calls.open", field, "open");
            if (opens.isEmpty()) {
                throw refused("fields.tool_calls.open", "is missing, so nothing would open a call");
            }
            opens.forEach(open -> call(open, List.of(each ? "[" : "{"), closes, builder));
        }
        return builder.build();
    }

    private static void call(String open, List<String> followedBy, List<String> closes, CallFormat.Builder builder) {
        if (closes.isEmpty()) {
            builder.call(open, followedBy);
        } else {
            closes.forEach(builder::callEnd);
            builder.call(open, followedBy, closes.getFirst());
        }
    }

    /** One literal before the name opens a call; of two, the first opens a group, which the region's end closes. */
    private void openers(DelimiterPattern open, List<String> closes, CallFormat.Builder builder)
            throws IOException {
        List<String> texts = open.texts();
        if (!open.shape().startsWith("ts")) {
            call(texts.getFirst(), List.of(), closes, builder);
            return;
        }
        if (closes.isEmpty()) {
            throw refused("fields.tool_calls.close", "is missing, so nothing would close what the pattern opens");
        }
        Matcher tag = TAG.matcher(texts.get(1));
        if (!tag.lookingAt()) {
            throw refused(
                    "fields.tool_calls.open_pattern",
                    "does not say what closes '" + texts.get(1) + "', which is no tag");
        }
        // A template need not name the end of an inner tag, since it sees the whole region.
        builder.group(texts.get(0), closes.getFirst()).call(texts.get(1), List.of(), "</" + tag.group(1) + ">");
        closes.stream().skip(1).forEach(builder::groupEnd);
    }

    private Arguments arguments(String content, JsonNode args) throws IOException {
        return switch (content) {
            case "json" -> json(args);
            case "xml-inline" -> tagged(args);
            default -> throw refused("fields.tool_calls.content", "'" + content + "' is neither json nor xml-inline");
        };
    }

    private Arguments json(JsonNode args) throws IOException {
        only("fields.tool_calls.content_args.", args, Set.of("unquoted_keys", "string_delims"));
        if (!args.path("unquoted_keys").asBoolean() && !args.has("string_delims")) {
            return new Arguments.JsonValue();
        }
        JsonNode delims = args.path("string_delims");
        boolean same = delims.size() == 1 && delims.path(0).path(0).equals(delims.path(0).path(1));
        if (!args.path("unquoted_keys").asBoolean() || !same) {
            throw refused(
                    "fields.tool_calls.content_args",
                    "must be unquoted_keys with one pair of equal string_delims, or none");
        }
        return new Arguments.KeyValues(delims.path(0).path(0).asText());
    }

    private Arguments tagged(JsonNode args) throws IOException {
        String key = "fields.tool_calls.content_args.tag_pattern";
        only("fields.tool_calls.content_args.", args, Set.of("tag_pattern", "value_parser"));
        JsonNode values = args.path("value_parser");
        if (!values.isMissingNode() && !values.path("name").asText().equals("json")) {
            throw refused(
                    "fields.tool_calls.content_args.value_parser",
                    "may be json only; the function's schema gives the types");
        }
        DelimiterPattern tag = pattern(key, args.path("tag_pattern").asText(), "tkts?vs?t|tktst?s?vs?t");
        List<String> texts = tag.texts();
        return new Arguments.Tagged(
                texts.get(0),
                texts.get(1),
                texts.size() > 3 ? texts.get(2) : "",
                texts.getLast(),
                false,
                space(tag),
                false,
                false,
                List.of());
    }

    /** The white space before the last literal, which is that around a value. */
    private static Space space(DelimiterPattern tag) {
        return tag.parts().get(tag.parts().size() - 2) instanceof Part.Space space
                ? space.any() ? Space.ALL : Space.LINES
                : Space.NONE;
    }

    /** The keys of a call's name and arguments in the JSON of the region. */
    private Arguments.JsonCall jsonCall(JsonNode field) throws IOException {
        JsonNode function = field.path("transform").path("function");
        if (function.asText().equals("{content}")) {
            return new Arguments.JsonCall("name", List.of("arguments"));
        }
        String prefix = field.path("transform_each").asBoolean() ? "" : "content.";
        Optional<String> name = placeholder(function.path("name"), prefix);
        Optional<String> arguments = placeholder(function.path("arguments"), prefix);
        if (name.isEmpty() || arguments.isEmpty()) {
            throw refused(
                    "fields.tool_calls.transform", "must take the function's name and arguments from keys of the JSON");
        }
        return new Arguments.JsonCall(name.get(), List.of(arguments.get()));
    }

    private static Optional<String> placeholder(JsonNode node, String prefix) {
        String text = node.asText();
        boolean one = text.indexOf('.', prefix.length() + 1) < 0;
        return one && text.startsWith("{" + prefix) && text.endsWith("}") ? Optional.of(text.substring(1 + prefix.length(), text.length() - 1)) : Optional.empty();
    }

    /** The name is that of the pattern, and the region is the arguments. */
    private void whole(JsonNode field) throws IOException {
        JsonNode function = field.path("transform").path("function");
        boolean named = function.path("name").asText().equals("{name}");
        if (!named || !function.path("arguments").asText().equals("{content}")) {
            throw refused(
                    "fields.tool_calls.transform", "must give the function the {name} of the pattern and the {content}");
        }
    }

    private void text(String key, JsonNode field) throws IOException {
        if (!field.path("content").asText("text").equals("text") || field.has("transform")) {
            throw refused(key, "may hold text as it stands only");
        }
        if (!field.path("join").asText("").isEmpty() || field.path("repeats").asBoolean() != field.has("join")) {
            throw refused(key + ".repeats", "may be given with an empty join only, since pieces are sent as they come");
        }
    }

    private List<String> literals(String key, JsonNode block, String name) throws IOException {
        String expression = block.path(name + "_pattern").asText("");
        if (!expression.isEmpty()) {
            return pattern(key + "_pattern", expression, "s?ts?").texts();
        }
        List<String> literals = new ArrayList<>();
        JsonNode given = block.path(name);
        if (given.isTextual()) {
            literals.add(given.asText());
        }
        given.forEach(item -> literals.add(item.asText()));
        return literals;
    }

    private DelimiterPattern pattern(String key, String expression, String shapes) throws IOException {
        return DelimiterPattern.of(expression)
                .filter(parsed -> parsed.shape().matches(shapes))
                .orElseThrow(() -> unknown(key, expression));
    }

    private void only(String path, JsonNode block, Collection<String> known) throws IOException {
        for (Map.Entry<String, JsonNode> entry : block.properties()) {
            if (!known.contains(entry.getKey())) {
                throw refused(path + entry.getKey(), "is not known");
            }
        }
    }

    private IOException unknown(String key, String expression) {
        return refused(key, "'" + expression + "' is more than literals with white space and the named groups between "
                + "them, and would need the whole output to be matched");
    }

    private IOException refused(String key, String why) {
        return new IOException(file + ": response_template." + key + ": " + why
                + "; name a parser that knows the format, or describe it under parsers");
    }
}
