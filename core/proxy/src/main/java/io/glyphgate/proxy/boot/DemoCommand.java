package io.glyphgate.proxy.boot;

import io.glyphgate.proxy.choice.OutputPlan;
import io.glyphgate.proxy.config.ConfigReader;
import io.glyphgate.proxy.route.ServedModel;
import io.glyphgate.proxy.simulator.ReceivedRequest;
import io.glyphgate.proxy.simulator.Script;
import io.glyphgate.proxy.simulator.SimulatedServer;
import io.glyphgate.proxy.simulator.SimulatorOptions;
import io.glyphgate.proxy.wire.GenerateBody;
import io.glyphgate.spi.InvalidRequestException;
import io.glyphgate.spi.OutputModeProvider;
import io.glyphgate.spi.Tokenizer;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Shows the main job: two simulated servers, one without and one with a tokenizer, and the proxy before them. */
@Command(
        name = "demo",
        description = "Run the proxy in front of two simulated servers, in one process.",
        mixinStandardHelpOptions = true)
final class DemoCommand implements Callable<Integer> {
    private static final String MODEL = "demo";
    private static final double TOKENS_PER_SECOND = 40;
    private static final String QUESTION =
            "<|im_start|>user\nWhat is the weather in Oslo?<|im_end|>\n<|im_start|>assistant\n";
    private static final String CALL = "<think>\nThe user asks for the weather, and there is a function for it.\n</think>\n\n"
            + "Let me look.\n<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\"}}\n</tool_call><|im_end|>";
    private static final String USER = "<|im_start|>user\n";
    private static final String END = "<|im_end|>";
    private static final Pattern RESULT = Pattern.compile("<\\|im_start\\|>tool\n(.*?)" + Pattern.quote(END), Pattern.DOTALL);
    private static final String GREETING =
            "<think>\nA greeting.\n</think>\n\nHello! Ask me about the weather, and give me a function that knows it." + END;
    private static final String TOOLS = "[{\"type\":\"function\",\"function\":{\"name\":\"get_weather\",\"parameters\":"
            + "{\"type\":\"object\",\"properties\":{\"city\":{\"type\":\"string\"}}}}}]";

    @Option(names = "--port", description = "The port of the proxy; 0 takes a free one. Default: ${DEFAULT-VALUE}.")
    private int port = 8080;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws IOException, InterruptedException {
        int tokensPort = freePort();
        int fullPort = freePort();
        Map<String, String> overrides = new HashMap<>(System.getenv());
        overrides.put("GLYPHGATE_SERVER_PORT", String.valueOf(port));
        overrides.put("GLYPHGATE_POOLS_BULK_ENDPOINTS_0", "http://127.0.0.1:" + tokensPort);
        overrides.put("GLYPHGATE_POOLS_CHAT_ENDPOINTS_0", "http://127.0.0.1:" + tokensPort);
        overrides.put("GLYPHGATE_POOLS_FULL_ENDPOINTS_0", "http://127.0.0.1:" + fullPort);
        Setup setup = Setup.of(ConfigReader.read(Installation.home().resolve("config/demo.yaml"), overrides));
        ServedModel model = setup.router().models().getFirst();
        Tokenizer tokenizer = Objects.requireNonNull(model.tokenizer(), "config/demo.yaml names a tokenizer");

        SimulatorOptions.Builder options = SimulatorOptions.builder()
                .model(MODEL)
                .tokenizer(tokenizer)
                .vocabularySize(tokenizer.vocabularySize())
                .tokensPerSecond(TOKENS_PER_SECOND);
        Function<ReceivedRequest, Script> saying = saying(tokenizer);
        SimulatedServer.start(options.port(tokensPort).tokensOnly(true).build()).direct(saying);
        SimulatedServer.start(options.port(fullPort)
                        .tokensOnly(false)
                        .parsers(new OutputPlan.Parsers(null, model.parsers().reasoning(), model.parsers().tools()))
                        .derender(setup.registry().find(OutputModeProvider.class, "derender").orElseThrow())
                        .build())
                .direct(saying);
        Proxy proxy = new Proxy(setup);
        Stop.whenTold(proxy);
        print(proxy.port(), tokensPort, fullPort, tokenizer);
        Thread.currentThread().join(); // until the process is told to end
        return 0;
    }

    /**
     * What the model says: it calls a function where the weather is asked for, repeats the results that functions gave, and greets
     * else; a request may script its own answer.
     */
    private static Function<ReceivedRequest, Script> saying(Tokenizer tokenizer) {
        return request -> request.body().contains("structured_outputs") || request.body().contains("\"glyphgate_")
                ? Script.NONE
                : Script.tokens(tokenizer.encode(answer(prompt(request, tokenizer)), false));
    }

    private static String prompt(ReceivedRequest request, Tokenizer tokenizer) {
        try {
            return tokenizer.decode(
                    GenerateBody.parse(request.body().getBytes(StandardCharsets.UTF_8)).promptTokenIds(), false);
        } catch (InvalidRequestException e) {
            return ""; // the server refuses it
        }
    }

    private static String answer(String prompt) {
        String question = prompt.substring(Math.max(0, prompt.lastIndexOf(USER)));
        List<String> results = RESULT.matcher(question).results().map(each -> each.group(1)).toList();
        if (!results.isEmpty()) {
            return "<think>\nNow it is known.\n</think>\n\nThe functions say: " + String.join("; ", results) + END;
        }
        return question.contains("weather") ? CALL : GREETING;
    }

    private void print(int proxy, int tokensOnly, int full, Tokenizer tokenizer) {
        PrintWriter out = spec.commandLine().getOut();
        String ids = Arrays.stream(tokenizer.encode(QUESTION, false))
                .mapToObj(String::valueOf)
                .collect(Collectors.joining(","));
        String url = "http://127.0.0.1:" + proxy + "/inference/v1/generate";
        String head = "curl -sN " + url + " -H 'Content-Type: application/json' -d '{\"model\":\"" + MODEL + "\",\"token_ids\":["
                + ids + "],\"sampling_params\":{}";
        String context = ",\"output_mode\":\"derender\",\"parse_context\":{\"tool_choice\":\"auto\",\"tools\":" + TOOLS + "}";
        out.println("The proxy listens on http://127.0.0.1:" + proxy + ", in front of simulated servers:");
        out.println("  pool bulk (tokenizer: none)      http://127.0.0.1:" + tokensOnly + ", tokens only");
        out.println("  pool full (tokenizer: upstream)  http://127.0.0.1:" + full + ", with a tokenizer");
        out.println("  pool chat (tokenizer: proxy)     http://127.0.0.1:" + tokensOnly + ", tokens only");
        out.println();
        out.println("Tokens, from the narrowest pool:");
        out.println(head + "}'");
        out.println("Text, made by the server that has a tokenizer:");
        out.println(head + ",\"output_mode\":\"text\"}'");
        out.println("Text as a stream, made by the proxy:");
        out.println(head + ",\"output_mode\":\"text\",\"stream\":true}' -H 'X-Glyphgate-Pool: chat'");
        out.println("A message with reasoning and a tool call:");
        out.println(head + context + "}'");
        out.println("The same as a stream, which vLLM refuses:");
        out.println(head + context + ",\"stream\":true}'");
        out.println("A chat, over the same servers, which know tokens only:");
        out.println("curl -sN http://127.0.0.1:" + proxy + "/v1/chat/completions -H 'Content-Type: application/json' -d '{\"model\":\""
                + MODEL + "\",\"messages\":[{\"role\":\"user\",\"content\":\"What is the weather in Oslo?\"}],\"tools\":" + TOOLS
                + ",\"stream\":true}'");
        out.println();
        out.println("Stop it with Ctrl-C.");
        out.flush();
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
