package io.glyphgate.proxy.wire;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Requests to happy_vLLM's doors of version 1. Fields are checked as happy_vLLM 1.2.5 does; what it fails at with status 500 is a
 * fault here, too. {@code model} is a field only where there is a choice of models.
 */
public final class HappyBody {
    private static final String MODEL = "model";
    private static final String TEXT = "text";
    private static final String VANILLA = "vanilla";
    private static final String TOKEN_IDS = "token_ids";
    private static final String CHUNK = "num_tokens_in_chunk";
    private static final String SEPARATORS = "separators";
    private static final String SIDE = "truncation_side";
    private static final String MAX_LENGTH = "max_length";
    private static final long LARGEST_ID = 0xFFFF_FFFFL;
    private static final long DEFAULT_CHUNK = 200;
    private static final List<String> DEFAULT_SEPARATORS = List.of(".", "!", "?", "|", " .", " !", " ?", " |");

    private HappyBody() {}

    /**
     * A text to cut into tokens.
     *
     * @param model the model; empty if the field is not looked at or names none
     * @param text the text
     * @param tokens whether the tokens are wanted as strings, too
     * @param vanilla whether the tokenizer is the model's own, not happy_vLLM's
     */
    public record Encode(Optional<String> model, String text, boolean tokens, boolean vanilla) {}

    /**
     * Tokens to make a text of.
     *
     * @param model the model; empty if the field is not looked at or names none
     * @param tokenIds the tokens
     * @param tokens whether the tokens are wanted as strings, too
     * @param vanilla whether the tokenizer is the model's own, not happy_vLLM's
     */
    public record Decode(Optional<String> model, int[] tokenIds, boolean tokens, boolean vanilla) {}

    /**
     * A text to cut into chunks.
     *
     * @param model the model; empty if the field is not looked at or names none
     * @param text the text
     * @param least how many tokens a chunk has at least, but for the last one
     * @param separators the texts behind which a chunk may end
     */
    public record Split(Optional<String> model, String text, long least, List<String> separators) {}

    /**
     * A text to measure.
     *
     * @param model the model; empty if the field is not looked at or names none
     * @param text the text
     * @param fromLeft whether the start of a text that is too long is cut off, not its end
     * @param most how many tokens may stay; empty for the model's limit
     */
    public record Metadata(Optional<String> model, String text, boolean fromLeft, OptionalLong most) {}

    /** Reads a request to {@code /v1/tokenizer}. */
    public static Encode encode(byte[] bytes, boolean asJson, boolean choice) {
        List<Invalid> faults = new ArrayList<>();
        Fields fields = fields(bytes, asJson, faults);
        String text = fields.text(TEXT);
        boolean vanilla = vanilla(fields);
        Optional<String> model = model(fields, choice);
        Fields.check(faults);
        return new Encode(model, text, truth(fields.get("with_tokens_str"), false), vanilla);
    }

    /** Reads a request to {@code /v1/decode}. */
    public static Decode decode(byte[] bytes, boolean asJson, boolean choice) {
        List<Invalid> faults = new ArrayList<>();
        Fields fields = fields(bytes, asJson, faults);
        int[] ids = fields.tokenIds(TOKEN_IDS, LARGEST_ID, true);
        boolean vanilla = vanilla(fields);
        Optional<String> model = model(fields, choice);
        Fields.check(faults);
        return new Decode(model, ids, truth(fields.get("with_tokens_str"), false), vanilla);
    }

    /** Reads a request to {@code /v1/split_text}. */
    public static Split split(byte[] bytes, boolean asJson, boolean choice) {
        List<Invalid> faults = new ArrayList<>();
        Fields fields = fields(bytes, asJson, faults);
        String text = fields.text(TEXT);
        long least = number(fields, CHUNK, DEFAULT_CHUNK, true);
        List<String> separators = separators(fields);
        fields.only(known(choice, TEXT, CHUNK, SEPARATORS));
        Optional<String> model = model(fields, choice);
        Fields.check(faults);
        return new Split(model, text, least, separators);
    }

    /** Reads a request to {@code /v1/metadata_text}. */
    public static Metadata metadata(byte[] bytes, boolean asJson, boolean choice) {
        List<Invalid> faults = new ArrayList<>();
        Fields fields = fields(bytes, asJson, faults);
        String text = fields.text(TEXT);
        String side = fields.textOr(SIDE, "left");
        if (side != null && !side.equals("left") && !side.equals("right")) {
            fields.fault("literal_error", "Input should be 'left' or 'right'", fields.get(SIDE), SIDE);
        }
        long most = number(fields, MAX_LENGTH, 0, false);
        if (most < 0) {
            fields.fault("greater_than_equal", "Input should be greater than or equal to 0", fields.get(MAX_LENGTH), MAX_LENGTH);
        } else if (most == Long.MAX_VALUE) {
            fields.fault("less_than_equal", "Input should be less than " + most, fields.get(MAX_LENGTH), MAX_LENGTH);
        }
        fields.only(known(choice, TEXT, SIDE, MAX_LENGTH));
        Optional<String> model = model(fields, choice);
        Fields.check(faults);
        return new Metadata(
                model, text, "left".equals(side), fields.has(MAX_LENGTH) ? OptionalLong.of(most) : OptionalLong.empty());
    }

    private static Fields fields(byte[] bytes, boolean asJson, List<Invalid> faults) {
        ObjectNode body = Fields.body(bytes, asJson);
        return new Fields(body, List.of(Invalid.BODY), faults);
    }

    private static Optional<String> model(Fields fields, boolean choice) {
        return choice ? Optional.ofNullable(fields.textOrNull(MODEL)).filter(name -> !name.isEmpty()) : Optional.empty();
    }

    private static Set<String> known(boolean choice, String first, String second, String third) {
        return choice ? Set.of(first, second, third, MODEL) : Set.of(first, second, third);
    }

    /** The flag is checked as a truth value, but then goes by Python's rules: {@code "false"} is a text, so it is true. */
    private static boolean vanilla(Fields fields) {
        fields.flag("with_token_str", false, false); // checked, but never read
        fields.flag(VANILLA, true, false);
        return truth(fields.get(VANILLA), true);
    }

    /** What Python takes for true. */
    static boolean truth(@Nullable JsonNode node, boolean absent) {
        if (node == null) {
            return absent;
        }
        return switch (node.getNodeType()) {
            case BOOLEAN -> node.booleanValue();
            case NUMBER -> node.doubleValue() != 0;
            case STRING -> !node.textValue().isEmpty();
            case ARRAY, OBJECT -> !node.isEmpty();
            case NULL, MISSING -> false;
            case BINARY, POJO -> throw new IllegalArgumentException("not JSON: " + node.getNodeType());
        };
    }

    /** A number that happy_vLLM uses as it came, so that a text is none, and a float only where it is compared. */
    private static long number(Fields fields, String name, long absent, boolean compared) {
        int before = fields.faults().size();
        long number = fields.number(name, absent);
        JsonNode node = fields.get(name);
        if (node != null
                && fields.faults().size() == before
                && Fields.isConverted(node)
                && !(compared && node.isFloatingPointNumber())) {
            fields.fault("int_type", "Input should be a valid integer", node, name);
        }
        return number;
    }

    private static List<String> separators(Fields fields) {
        if (!fields.has(SEPARATORS)) {
            return DEFAULT_SEPARATORS;
        }
        JsonNode list = fields.listOrNull(SEPARATORS, false);
        List<String> separators = new ArrayList<>();
        int i = 0;
        for (JsonNode node : list == null ? Json.MAPPER.createArrayNode() : list) {
            if (!node.isTextual()) {
                fields.fault("string_type", "Input should be a valid string", node, SEPARATORS, i);
            }
            separators.add(node.asText());
            i++;
        }
        return separators;
    }
}
