package io.glyphgate.proxy.tokenize;

import io.glyphgate.proxy.generate.Client;
import io.glyphgate.proxy.generate.RefusedException;
import io.glyphgate.proxy.wire.Failure;
import io.glyphgate.proxy.wire.InvalidBodyException;
import java.util.Locale;
import java.util.Optional;

/** A family of doors, and the shape of its errors. */
enum Family {
    /** vLLM's: {@code /tokenize}, {@code /detokenize}. */
    VLLM,
    /** happy_vLLM's of version 2, which are those of vLLM 0.8.2. */
    VERSION_2,
    /** happy_vLLM's own. */
    VERSION_1;

    private static final String WRONG_TYPE = "Unsupported Media Type: Only 'application/json' is allowed";

    /** The refusal of a body that is not said to be JSON; version 1 takes it for a text instead. */
    Optional<Failure> wrongType(Client client) {
        if (this == VERSION_1 || mediaType(client).equals("application/json")) {
            return Optional.empty();
        }
        return Optional.of(Failure.of(this == VLLM ? 400 : 415, Failure.INVALID_BODY, "", WRONG_TYPE));
    }

    /** Whether FastAPI takes a body for JSON by itself. */
    static boolean isJson(Client client) {
        String type = mediaType(client).strip();
        return type.isEmpty() || type.equals("application/json") || (type.startsWith("application/") && type.endsWith("+json"));
    }

    /** The type as vLLM reads it: a space before the semicolon makes another type of it. */
    private static String mediaType(Client client) {
        return client.header("Content-Type").orElse("").toLowerCase(Locale.ROOT).split(";", 2)[0];
    }

    /** The status of a body whose shape is wrong. */
    int invalidStatus() {
        return this == VLLM ? 400 : 422;
    }

    /** A body whose shape is wrong. */
    byte[] invalid(InvalidBodyException e) {
        return this == VLLM
                ? Failure.of(400, Failure.INVALID_BODY, e.param(), String.valueOf(e.getMessage())).toJson()
                : e.toDetail();
    }

    /** Any other error. */
    byte[] failure(Failure failure) {
        return switch (this) {
            case VLLM -> failure.toJson();
            case VERSION_2 -> failure.status() == 415 ? failure.toDetailJson() : failure.toFlatJson();
            case VERSION_1 -> failure.toDetailJson();
        };
    }

    /** A server's own refusal: in the shape of this family, too. */
    byte[] refusal(RefusedException e) {
        return this == VLLM && e.isJson() ? e.body() : failure(e.failure());
    }
}
