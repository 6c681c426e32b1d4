package io.glyphgate.proxy.generate;

import io.glyphgate.proxy.route.Router;
import io.glyphgate.proxy.route.ServedModel;
import io.glyphgate.proxy.wire.JsonOut;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

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
                out.name("max_model_len");
                if (model.maxLength().isPresent()) {
                    out.number(model.maxLength().getAsInt());
                } else {
                    out.nullValue();
                }
                tokenizer(model, out.name("tokenizer"));
                out.endObject();
            }
        }
        json = out.endArray().endObject().toByteArray();
    }

    /** What tells the model's tokenizer from others. */
    private static void tokenizer(ServedModel model, JsonOut out) {
        if (model.tokenizer() == null) {
            out.nullValue();
            return;
        }
        out.beginObject().name("vocabulary").string(model.tokenizer().fingerprint());
        out.name("vocabulary_size").number(model.tokenizer().vocabularySize()).name("chat_template");
        Optional<String> template = model.chatTemplate();
        if (template.isPresent()) {
            out.string(hash(template.get()));
        } else {
            out.nullValue();
        }
        out.endObject();
    }

    private static String hash(String text) {
        try {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java has it", e);
        }
    }

    /** The list as JSON. */
    public byte[] toJson() {
        return json;
    }
}
