package io.glyphgate.proxy.wire;

import java.util.Arrays;

/** Where the members of one JSON object lie in its bytes, in their order. Reused. */
final class Members {
    private int[] places = new int[3 * 16];
    private Field[] fields = new Field[16];
    private int count;

    /** The fields of an answer that matter, and all others. */
    enum Field {
        CHOICES("choices"),
        OUTPUT_MODE("output_mode"),
        USAGE("usage"),
        KV_TRANSFER_PARAMS("kv_transfer_params"),
        ERROR("error"),
        REQUEST_ID("request_id"),
        INDEX("index"),
        TOKEN_IDS("token_ids"),
        FINISH_REASON("finish_reason"),
        STOP_REASON("stop_reason"),
        LOGPROBS("logprobs"),
        SAMPLING_MASK("sampling_mask"),
        WEIGHT_VERSIONS("weight_versions"),
        ROUTED_EXPERTS("routed_experts"),
        PROMPT_TOKEN_IDS("prompt_token_ids"),
        PROMPT_LOGPROBS("prompt_logprobs"),
        EC_TRANSFER_PARAMS("ec_transfer_params"),
        MM_PLACEHOLDERS("mm_placeholders"),
        METRICS("metrics"),
        TEXT("text"),
        MESSAGE("message"),
        DELTA("delta"),
        OTHER("");

        private static final Field[] ALL = values();

        private final String name;

        Field(String name) {
            this.name = name;
        }

        static Field of(JsonSpans spans, int from, int to) {
            for (Field field : ALL) {
                if (spans.isString(from, to, field.name)) {
                    return field;
                }
            }
            return OTHER;
        }
    }

    void clear() {
        count = 0;
    }

    void add(Field field, int nameFrom, int valueFrom, int valueTo) {
        if (count == fields.length) {
            fields = Arrays.copyOf(fields, 2 * count);
            places = Arrays.copyOf(places, 6 * count);
        }
        fields[count] = field;
        places[3 * count] = nameFrom;
        places[3 * count + 1] = valueFrom;
        places[3 * count + 2] = valueTo;
        count++;
    }

    int count() {
        return count;
    }

    Field field(int position) {
        return fields[position];
    }

    /** Where the name starts, quote included. */
    int nameFrom(int position) {
        return places[3 * position];
    }

    int valueFrom(int position) {
        return places[3 * position + 1];
    }

    int valueTo(int position) {
        return places[3 * position + 2];
    }

    /** The position of a field; -1 if it is absent. */
    int find(Field field) {
        for (int i = 0; i < count; i++) {
            if (fields[i] == field) {
                return i;
            }
        }
        return -1;
    }
}
