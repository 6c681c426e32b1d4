package io.glyphgate.proxy.generate;

import io.glyphgate.proxy.route.Router;
import io.glyphgate.proxy.route.ServedModel;
import io.glyphgate.proxy.wire.JsonOut;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** The models of {@code /v1/models}: each under its name and its aliases, as vLLM lists served names. */
public final class ModelList {
    private final byte[] json;

    /** The models of a router. */
    public ModelList(Router router) {
        long now = Instant.now().getEpochSecond();
        JsonOut out = new JsonOut();
        out.beginObject().name("object").string("list").name("data").beginArray();
        for (ServedModel model : router.models()) {
            List<String> names = new ArrayList<>(List.of(model.name()));
            names.addAll(model.config().aliases());
            for (String name : names) {
                out.beginObject();
                out.name("id").string(name);
                out.name("object").string("model");
                out.name("created").number(now);
                out.name("owned_by").string("glyphgate");
                out.name("root").string(model.name());
                out.name("parent").nullValue();
                out.endObject();
            }
        }
        json = out.endArray().endObject().toByteArray();
    }

    /** The list as JSON. */
    public byte[] toJson() {
        return json;
    }
}
