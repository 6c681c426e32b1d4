package io.glyphgate.proxy.openai;

import io.glyphgate.proxy.generate.Client;
import io.glyphgate.proxy.generate.Generate;
import io.glyphgate.proxy.generate.Plan;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Answers that are made without generating anything.
 *
 * @param generate refuses what cannot be answered
 */
public record OwnAnswers(Generate generate) {
    private static final String REQUEST_ID = "X-Request-Id";

    /**
     * Answers with JSON.
     *
     * @param json makes it; what that throws is the client's answer
     */
    public void answer(Client client, Supplier<byte[]> json) {
        byte[] answer;
        try {
            answer = json.get();
        } catch (RuntimeException e) {
            generate.refuse(e, Optional.empty(), client);
            return;
        }
        client.answer(
                200,
                Map.of("Content-Type", "application/json", REQUEST_ID, client.header(REQUEST_ID).orElseGet(Plan::newId)),
                answer);
    }
}
