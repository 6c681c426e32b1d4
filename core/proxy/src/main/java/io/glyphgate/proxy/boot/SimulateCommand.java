package io.glyphgate.proxy.boot;

import io.glyphgate.proxy.plugin.Registry;
import io.glyphgate.proxy.simulator.Chunking;
import io.glyphgate.proxy.simulator.Fault;
import io.glyphgate.proxy.simulator.SimulatedServer;
import io.glyphgate.proxy.simulator.SimulatorOptions;
import io.glyphgate.spi.OutputModeProvider;
import io.glyphgate.spi.Tokenizer;
import io.glyphgate.spi.TokenizerProvider;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Runs a simulated vLLM server. */
@Command(
        name = "simulate",
        description = "Run a simulated vLLM 0.33 server, with faults on demand.",
        mixinStandardHelpOptions = true)
final class SimulateCommand implements Callable<Integer> {
    @Option(names = "--host", description = "The address to listen on. Default: ${DEFAULT-VALUE}.")
    private String host = "127.0.0.1";

    @Option(names = "--port", description = "The port; 0 takes a free one. Default: ${DEFAULT-VALUE}.")
    private int port = 8000;

    @Option(names = "--model", description = "The name of the model. Default: ${DEFAULT-VALUE}.")
    private String model = "tiny";

    @Option(names = "--kind", description = "What to play: ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}.")
    private SimulatorOptions.Kind kind = SimulatorOptions.Kind.VLLM;

    @Option(names = "--tokens-only", description = "Hold no tokenizer, as vllm serve --tokens-only.")
    private boolean tokensOnly;

    @Option(names = "--no-scale-out", description = "Refuse generate, as a server without --enable-scale-out.")
    private boolean noScaleOut;

    @Option(
            names = "--tokenizer",
            paramLabel = "PATH",
            description = "The tokenizer: a folder or a file; the one that comes with the installation by default.")
    private Optional<Path> tokenizer = Optional.empty();

    @Mixin
    private ParsersOption config = new ParsersOption();

    @Mixin
    private ParserNames parsers = new ParserNames();

    @Option(
            names = "--tokens-per-event",
            paramLabel = "SIZES",
            description = "How many tokens an event carries: 1, or 4,1,2 over and over, or random:8. Default: ${DEFAULT-VALUE}.")
    private String tokensPerEvent = "1";

    @Option(names = "--rate", paramLabel = "N", description = "Tokens per second of one choice; 0 for as fast as possible.")
    private double rate;

    @Option(names = "--first-token", paramLabel = "MS", description = "Milliseconds until the first token.")
    private long firstToken;

    @Option(
            names = "--kv-connector",
            paramLabel = "NAME",
            description = "How prompts are handed over to other simulated servers: ${COMPLETION-CANDIDATES}. Default: none. The store of"
                    + " LMCACHE is that of this process alone.")
    private SimulatorOptions.Connector connector = SimulatorOptions.Connector.NONE;

    @Option(
            names = "--fault",
            paramLabel = "FAULTS",
            description = "How every answer goes wrong, for example stall@3=500ms or reset@2; a request can ask for its own by the"
                    + " header X-Glyphgate-Fault.")
    private String faults = "";

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws IOException, InterruptedException {
        Registry registry = config.load();
        TokenizerProvider provider = registry.find(TokenizerProvider.class, "huggingface").orElseThrow();
        Path source = tokenizer.orElse(Installation.home().resolve("tokenizers/qwen3"));
        Tokenizer loaded = Registry.withLoaderOf(provider, () -> provider.load(source.toUri(), Map.of()));
        SimulatedServer server = SimulatedServer.start(SimulatorOptions.builder()
                .host(host)
                .port(port)
                .model(model)
                .kind(kind)
                .tokensOnly(tokensOnly)
                .scaleOut(!noScaleOut)
                .tokenizer(loaded)
                .vocabularySize(loaded.vocabularySize())
                .parsers(parsers.of(registry, source))
                .derender(registry.find(OutputModeProvider.class, "derender").orElseThrow())
                .chunking(Chunking.parse(tokensPerEvent))
                .tokensPerSecond(rate)
                .timeToFirstToken(Duration.ofMillis(firstToken))
                .connector(connector)
                .faults(Fault.parse(faults))
                .build());
        spec.commandLine().getOut().println("simulated " + kind + " listens on " + server.uri());
        spec.commandLine().getOut().flush();
        Thread.currentThread().join(); // until the process is told to end
        return 0;
    }
}
