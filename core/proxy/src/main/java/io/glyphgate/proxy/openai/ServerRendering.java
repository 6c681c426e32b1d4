package io.glyphgate.proxy.openai;

import io.glyphgate.proxy.generate.Client;
import io.glyphgate.proxy.generate.Generate;
import io.glyphgate.proxy.generate.Inquiry;
import io.glyphgate.proxy.tokenize.Prompts;
import io.glyphgate.proxy.wire.GenerateBody;
import io.glyphgate.proxy.wire.ServerTexts;
import java.util.List;
import java.util.function.Function;

/**
 * One chat or completion whose prompts servers make.
 *
 * @param servers asks them
 * @param prompts does work on what they answer
 * @param client for whom they are asked
 * @param path the door of the request
 * @param texts what is asked
 */
record ServerRendering(Inquiry servers, Prompts prompts, Client client, String path, ServerTexts texts) {
    static final String RENDER = "/render";
    static final String DERENDER = "/derender";

    /**
     * Has the prompts made.
     *
     * @param count how many there are
     * @param use makes something of the generate requests, one for each prompt
     */
    <T> T render(int count, Function<List<GenerateBody>, T> use) {
        byte[] answer = servers.post(path + RENDER, texts::render);
        return prompts.work(answer.length, client, () -> use.apply(texts.rendered(answer, count)));
    }

    /**
     * Who has the answer read.
     *
     * @param prompt the prompt that it answers
     */
    Client reader(Generate generate, Head head, int[] prompt) {
        return new DerenderingClient(client, generate, servers, path + DERENDER, texts, head, prompt);
    }
}
