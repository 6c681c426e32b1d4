package io.glyphgate.proxy.boot;

import io.glyphgate.proxy.choice.Anomalies;
import io.glyphgate.proxy.choice.Anomaly;
import io.glyphgate.proxy.choice.Choice;
import io.glyphgate.proxy.choice.EngineFinish;
import io.glyphgate.proxy.choice.OutputPlan;
import io.glyphgate.proxy.choice.StopStrings;
import io.glyphgate.proxy.conformance.Recording;
import io.glyphgate.proxy.plugin.Registry;
import io.glyphgate.proxy.wire.CapturedOutput;
import io.glyphgate.proxy.wire.GenerateBody;
import io.glyphgate.proxy.wire.JsonOut;
import io.glyphgate.proxy.wire.ParseRequest;
import io.glyphgate.spi.ChoiceStep;
import io.glyphgate.spi.MessageDelta.ToolCallDelta;
import io.glyphgate.spi.OutputModeProvider.Need;
import io.glyphgate.spi.Tokenizer;
import io.glyphgate.spi.TokenizerProvider;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Shows a parser at work: output in, one line per event out. */
@Command(
        name = "parse",
        description = "Watch parsers work: a model's output in, one JSON line per step out.",
        mixinStandardHelpOptions = true)
final class ParseCommand implements Callable<Integer> {
    private static final int[] NO_TOKENS = {};

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
            names = "--context",
            paramLabel = "FILE",
            description = "A parse_context or chat_request as JSON: tools, tool_choice, chat_template_kwargs, ...")
    private Optional<Path> context = Optional.empty();

    @Option(names = "--prompt", paramLabel = "TEXT", description = "The prompt, whose end may open or close the reasoning.")
    private String prompt = "";

    @Option(names = "--tokens-per-step", paramLabel = "N", description = "How many tokens come at a time.")
    private int tokensPerStep = 1;

    @Option(names = "--stop", paramLabel = "TEXT", description = "A stop string; may be given several times.")
    private List<String> stop = List.of();

    @Option(names = "--finish-reason", paramLabel = "REASON", description = "How the engine ends the output.")
    private String finishReason = "stop";

    @Option(
            names = "--record",
            paramLabel = "FILE",
            description = "Add the output and its message to a file of cases, which `conformance` plays.")
    private Optional<Path> record = Optional.empty();

    @ArgGroup(multiplicity = "1")
    private Output output = new Output();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    /** The output of the model. */
    private static final class Output {
        @Option(names = "--text", paramLabel = "TEXT", description = "The output as text.")
        private @Nullable String text;

        @Option(names = "--file", paramLabel = "FILE", description = "The output as text, in a file.")
        private @Nullable Path file;

        @Option(names = "--token-ids", paramLabel = "IDS", split = ",", description = "The output as token IDs.")
        private int @Nullable [] tokenIds;

        @Option(
                names = "--captured",
                paramLabel = "FILE",
                description = "An output that the proxy captured, with its request, parsers and tokenizer. Of the other options only"
                        + " --tokenizer, the parsers and --tokens-per-step count, in place of what the file says.")
        private @Nullable Path captured;

        int[] tokens(Tokenizer tokenizer) throws IOException {
            if (tokenIds != null) {
                return tokenIds;
            }
            String whole = file != null ? Files.readString(file) : String.valueOf(text);
            return tokenizer.encode(whole, false);
        }
    }

    @Override
    public Integer call() throws IOException {
        if (tokensPerStep < 1) {
            throw new IllegalArgumentException("--tokens-per-step must be 1 or more");
        }
        try (Registry registry = config.load()) {
            if (output.captured == null) {
                parse(registry);
            } else {
                CapturedOutput captured = CapturedOutput.parse(Files.readAllBytes(output.captured));
                try (Tokenizer loaded = load(registry, captured.tokenizer())) {
                    play(captured, registry, loaded);
                }
            }
            return 0;
        }
    }

    private void parse(Registry registry) throws IOException {
        try (Tokenizer loaded = load(registry)) {
            OutputPlan plan = new OutputPlan(
                    "model",
                    EnumSet.of(Need.TEXT, Need.MESSAGE),
                    loaded,
                    parsers.of(registry, source()),
                    prompt.isEmpty() ? NO_TOKENS : loaded.encode(prompt, false),
                    true,
                    true,
                    new StopStrings(stop, false, 0),
                    false,
                    parseRequest());
            int[] tokens = output.tokens(loaded);
            // vLLM makes no text of the token that ends an output by itself, but of any other last token
            boolean endsItself = tokens.length > 0 && tokens[tokens.length - 1] == loaded.endOfSequence().orElse(-1);
            EngineFinish finish = new EngineFinish(finishReason, null);
            run(plan, tokens, endsItself ? finish : null, finish);
            if (record.isPresent()) {
                record(record.get(), plan, tokens, endsItself);
            }
        }
    }

    private void record(Path file, OutputPlan plan, int[] tokens, boolean endsItself) throws IOException {
        if (!stop.isEmpty()) {
            throw new IllegalArgumentException("a case of a parser has no stop strings; leave --stop or --record out");
        }
        long cases = Files.exists(file) ? Files.readAllLines(file).size() : 0;
        String key = source().toAbsolutePath().normalize().getFileName().toString();
        EngineFinish finish = new EngineFinish(finishReason, endsItself ? null : "");
        String line = Recording.line("case-" + (cases + 1), plan, prompt, tokens, finish, key);
        Files.writeString(file, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    /** Plays a captured output again, with its own parsers unless others are asked for. */
    void play(CapturedOutput captured, Registry registry, Tokenizer loaded) throws IOException {
        CapturedOutput.Sampling sampling = captured.sampling();
        OutputPlan plan = new OutputPlan(
                captured.model(),
                EnumSet.of(Need.TEXT, Need.MESSAGE),
                loaded,
                parsers.given() ? parsers.of(registry, source()) : parsers(registry, captured.parsers()),
                captured.promptTokenIds(),
                sampling.skipSpecialTokens(),
                sampling.spacesBetweenSpecialTokens(),
                new StopStrings(sampling.stop(), sampling.includeStopStrInOutput(), sampling.minTokens()),
                sampling.includeStopStrInOutput(),
                captured.parseRequest());
        String reason = captured.finishReason();
        EngineFinish finish = reason == null || captured.tokensLeftOut() > 0
                ? new EngineFinish("abort", null)
                : new EngineFinish(reason, captured.stopReason());
        run(plan, captured.tokenIds(), finish, finish);
    }

    /**
     * Prints what each step gives.
     *
     * @param withLast how the output ends together with its last token; null if it ends after it
     * @param after how it ends if it goes on after its last token
     */
    private void run(OutputPlan plan, int[] tokens, @Nullable EngineFinish withLast, EngineFinish after) {
        PrintWriter out = spec.commandLine().getOut();
        Anomalies anomalies = new Anomalies();
        Choice choice = new Choice(plan, anomalies);
        int told = 0;
        for (int from = 0; from < tokens.length && !choice.ended(); from += tokensPerStep) {
            int[] ids = Arrays.copyOfRange(tokens, from, Math.min(tokens.length, from + tokensPerStep));
            boolean last = from + tokensPerStep >= tokens.length;
            choice.accept(ids, ids.length, last ? withLast : null);
            out.println(line(ids, choice.step()));
            told = tell(anomalies, told, out);
        }
        if (!choice.ended()) {
            choice.accept(NO_TOKENS, 0, after);
            out.println(line(NO_TOKENS, choice.step()));
            tell(anomalies, told, out);
        }
        out.println("tokens: " + choice.tokenCount() + ", of them reasoning: " + choice.reasoningTokenCount());
    }

    /** Prints the anomalies behind those that were printed, and says how many there are now. */
    private static int tell(Anomalies anomalies, int from, PrintWriter out) {
        for (Anomaly anomaly : anomalies.found().subList(from, anomalies.found().size())) {
            out.println("anomaly: " + anomaly.kind() + " (" + anomaly.parserKind().label() + " " + anomaly.parser() + ")");
        }
        return anomalies.found().size();
    }

    private static OutputPlan.Parsers parsers(Registry registry, CapturedOutput.ParserNames names) {
        return OutputPlan.Parsers.of(
                registry,
                Optional.ofNullable(names.parser()),
                Optional.ofNullable(names.reasoningParser()),
                Optional.ofNullable(names.toolParser()));
    }

    private static String line(int[] ids, ChoiceStep step) {
        JsonOut json = new JsonOut();
        json.beginObject().name("token_ids").beginArray();
        for (int id : ids) {
            json.number(id);
        }
        json.endArray().name("text").string(step.tokens().text());
        if (step.message().reasoning().length() > 0) {
            json.name("reasoning").string(step.message().reasoning());
        }
        if (step.message().content().length() > 0) {
            json.name("content").string(step.message().content());
        }
        for (ToolCallDelta call : step.message().toolCalls()) {
            json.name("tool_call").beginObject().name("index").number(call.index());
            if (call.opens()) {
                json.name("id").string(call.id()).name("name").string(call.name());
            }
            json.name("arguments").string(call.arguments()).endObject();
        }
        if (step.last()) {
            json.name("finish_reason").string(step.finishReason());
        }
        return new String(json.endObject().toByteArray(), StandardCharsets.UTF_8);
    }

    private ParseRequest parseRequest() throws IOException {
        return context.isEmpty() ? ParseRequest.DEFAULT : GenerateBody.parseContext(Files.readAllBytes(context.get()));
    }

    private Tokenizer load(Registry registry) throws IOException {
        TokenizerProvider provider = registry.find(TokenizerProvider.class, "huggingface").orElseThrow();
        return Registry.withLoaderOf(provider, () -> provider.load(source().toUri(), Map.of()));
    }

    /** The tokenizer of a captured output, unless another is asked for. */
    Tokenizer load(Registry registry, CapturedOutput.TokenizerName name) throws IOException {
        if (tokenizer.isPresent()) {
            return load(registry);
        }
        TokenizerProvider provider = registry.find(TokenizerProvider.class, name.provider())
                .orElseThrow(() -> new IllegalArgumentException("there is no tokenizer plugin '" + name.provider() + "': known are "
                        + registry.names(TokenizerProvider.class)));
        return Registry.withLoaderOf(provider, () -> provider.load(URI.create(name.source()), name.options()));
    }

    private Path source() {
        return tokenizer.orElse(Installation.home().resolve("tokenizers/qwen3"));
    }
}
