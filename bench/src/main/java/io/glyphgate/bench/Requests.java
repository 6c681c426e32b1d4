package io.glyphgate.bench;

import io.glyphgate.bench.Definitions.Scenario;
import io.glyphgate.bench.Definitions.Way;

/** The requests of the clients, whole, ready to be sent. */
final class Requests {
    /** The one function that is offered. */
    static final String TOOLS = "\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"write\",\"parameters\":{"
            + "\"type\":\"object\",\"properties\":{\"text\":{\"type\":\"string\"}},\"required\":[\"text\"]}}}]";
    /** A prompt, as a JSON array. */
    static final String PROMPT = "[151644,872,198,9707,151645,198,151644,77091,198]";

    static final int PROMPT_LENGTH = 9;

    private Requests() {}

    /** What a client of a scenario sends. */
    static byte[] of(Way way, Scenario scenario, int port) {
        String body =
                switch (way.door()) {
                    case GENERATE -> "{\"model\":\"" + way.model() + "\",\"token_ids\":" + PROMPT + ",\"sampling_params\":{"
                            + "\"max_tokens\":" + scenario.tokens() + ",\"temperature\":0.0,\"seed\":" + scenario.paceMicros()
                            + (scenario.logprobs() > 0 ? ",\"logprobs\":" + scenario.logprobs() : "") + ",\"ignore_eos\":true}"
                            + (way.mode().equals("tokens") ? "" : ",\"output_mode\":\"" + way.mode() + "\"")
                            + (way.mode().equals("derender") ? ",\"parse_context\":{\"tool_choice\":\"auto\"," + TOOLS + "}" : "")
                            + ",\"stream\":" + !scenario.batch() + "}";
                    case COMPLETIONS -> "{\"model\":\"" + way.model() + "\",\"prompt\":\"hello there\",\"max_tokens\":"
                            + scenario.tokens() + ",\"stream\":" + !scenario.batch() + ",\"seed\":" + scenario.paceMicros() + "}";
                    case CHAT -> "{\"model\":\"" + way.model() + "\",\"messages\":[{\"role\":\"user\",\"content\":\"hello there\"}],"
                            + "\"max_tokens\":" + scenario.tokens() + ",\"stream\":" + !scenario.batch() + ",\"seed\":"
                            + scenario.paceMicros() + ",\"ignore_eos\":true," + TOOLS + "}";
                };
        String path =
                switch (way.door()) {
                    case GENERATE -> "/inference/v1/generate";
                    case COMPLETIONS -> "/v1/completions";
                    case CHAT -> "/v1/chat/completions";
                };
        return post(path, body, port);
    }

    static byte[] post(String path, String body, int port) {
        byte[] bytes = Ascii.bytes(body);
        return Ascii.bytes("POST " + path + " HTTP/1.1\r\nhost: 127.0.0.1:" + port
                + "\r\ncontent-type: application/json\r\naccept: text/event-stream\r\ncontent-length: " + bytes.length + "\r\n\r\n"
                + body);
    }

    /** How many events an answer must have at least. Those that parse may join what belongs together, or hold it back. */
    static int leastEvents(Way way, Scenario scenario) {
        if (scenario.batch()) {
            return 0;
        }
        boolean passes = way.door() == Definitions.Door.COMPLETIONS || way.mode().equals("tokens");
        return passes ? scenario.tokens() + 1 : scenario.tokens() / 2;
    }
}
