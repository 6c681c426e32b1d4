package io.glyphgate.proxy.openai;

import io.glyphgate.proxy.wire.JsonOut;
import io.glyphgate.proxy.wire.Sse;
import org.jspecify.annotations.Nullable;

/**
 * What stands in each answer and each event of one request.
 *
 * @param id the ID of the answer
 * @param model the model's name
 * @param created when the request came, seconds since 1970
 * @param fingerprint what made the answer; null where others made what it says
 */
record Head(String id, String model, long created, @Nullable String fingerprint) {
    /** Starts a whole answer. */
    void begin(String object, JsonOut out) {
        out.beginObject().name("id").string(id);
        out.name("object").string(object);
        out.name("created").number(created);
        out.name("model").string(model);
    }

    /** Starts an event. */
    void beginEvent(String object, JsonOut out) {
        out.bytes(Sse.DATA);
        begin(object, out);
    }

    /** Says what made the answer. */
    void fingerprint(JsonOut out) {
        out.name("system_fingerprint");
        if (fingerprint == null) {
            out.nullValue();
        } else {
            out.string(fingerprint);
        }
    }

    /** Ends an event. */
    static void endEvent(JsonOut out) {
        out.endObject().endValue().bytes(Sse.END);
    }
}
