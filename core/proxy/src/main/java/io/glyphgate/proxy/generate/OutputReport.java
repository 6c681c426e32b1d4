package io.glyphgate.proxy.generate;

import io.glyphgate.proxy.choice.Anomaly;
import io.glyphgate.proxy.choice.EngineFinish;
import io.glyphgate.proxy.choice.HostAnomaly;
import io.glyphgate.proxy.choice.OutputPlan;
import io.glyphgate.proxy.config.ConfigFile;
import io.glyphgate.proxy.config.ProxyConfig;
import io.glyphgate.proxy.observe.CaptureFolder;
import io.glyphgate.proxy.observe.Meters;
import io.glyphgate.proxy.plugin.PluginKind;
import io.glyphgate.proxy.route.ServedModel;
import io.glyphgate.proxy.wire.CapturedOutput;
import io.glyphgate.proxy.wire.GenerateBody;
import io.glyphgate.spi.Provider;
import java.net.URISyntaxException;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Tells of anomalies when an output has ended: counts them, and captures the output where the configuration asks for it. */
public final class OutputReport {
    private static final List<String> HOST_KINDS = Stream.of(HostAnomaly.values()).map(HostAnomaly::kind).toList();
    /** About what a token ID takes as text. */
    private static final int TOKEN_BYTES = 7;

    private final Meters meters;
    private final ConfigFile config;
    private final Optional<CaptureFolder> captures;

    /**
     * A report.
     *
     * @param captures where outputs are captured; empty if they are not
     */
    public OutputReport(Meters meters, ConfigFile config, Optional<CaptureFolder> captures) {
        this.meters = meters;
        this.config = config;
        this.captures = captures;
    }

    /**
     * Makes the meters of parsers, so that they stand at 0 before the first anomaly.
     *
     * @param origin where their outputs come from: the name of a pool, or {@link Meters#DERENDER}
     */
    public void expect(String origin, OutputPlan.Parsers parsers) {
        expect(origin, PluginKind.PARSER, parsers.combined());
        expect(origin, PluginKind.REASONING_PARSER, parsers.reasoning());
        expect(origin, PluginKind.TOOL_PARSER, parsers.tools());
    }

    private void expect(String origin, PluginKind kind, @Nullable Provider parser) {
        if (parser != null) {
            meters.anomalies(origin, kind.label(), parser.name()).expect(HOST_KINDS);
        }
    }

    /** How many tokens of a choice a recording keeps. */
    public int recordedTokens() {
        return captures.isEmpty() ? 0 : config.config().capture().maxTokens();
    }

    /**
     * Tells of all choices of a request.
     *
     * @param requestId its ID
     * @param origin where its output comes from: the name of a pool, or {@link Meters#DERENDER}
     */
    public void send(String requestId, ServedModel model, String origin, Translation translation) {
        List<@Nullable Recording> recordings = translation.recordings();
        for (int i = 0; i < recordings.size(); i++) {
            Recording recording = recordings.get(i);
            if (recording == null || recording.anomalies().found().isEmpty()) {
                continue;
            }
            for (Anomaly anomaly : recording.anomalies().found()) {
                meters.anomalies(origin, anomaly.parserKind().label(), anomaly.parser()).count(anomaly.kind());
            }
            if (captures.isPresent()) {
                int choice = i;
                captures.get().offer(
                        requestId,
                        choice,
                        translation.request().size() + (long) TOKEN_BYTES * recording.recorded(),
                        () -> captured(requestId, model, origin, translation, recording, choice).toJson());
            }
        }
    }

    private CapturedOutput captured(
            String requestId, ServedModel model, String origin, Translation translation, Recording recording, int choice) {
        GenerateBody body = translation.request();
        OutputPlan output = translation.plan();
        OutputPlan.Parsers parsers = output.parsers();
        int[] prompt = output.promptTokenIds();
        int promptFrom = Math.max(0, prompt.length - config.config().capture().promptTokens());
        EngineFinish finish = recording.finish();
        return new CapturedOutput(
                requestId,
                choice,
                Instant.now().toString(),
                origin,
                model.name(),
                tokenizer(model.config().tokenizer().orElseThrow()),
                new CapturedOutput.ParserNames(
                        name(parsers.combined()), name(parsers.reasoning()), name(parsers.tools())),
                recording.anomalies().found().stream()
                        .map(each -> new CapturedOutput.Found(each.parserKind().label(), each.parser(), each.kind()))
                        .toList(),
                Arrays.copyOfRange(prompt, promptFrom, prompt.length),
                promptFrom,
                recording.tokenIds(),
                recording.leftOut(),
                finish == null ? null : finish.reason(),
                finish == null ? null : finish.stopReason(),
                new CapturedOutput.Sampling(
                        output.skipSpecialTokens(),
                        output.spacesBetweenSpecialTokens(),
                        body.stop(),
                        output.includeStop(),
                        body.minTokens()),
                body.parseContext());
    }

    private CapturedOutput.TokenizerName tokenizer(ProxyConfig.TokenizerSource source) {
        try {
            return new CapturedOutput.TokenizerName(
                    source.provider(), config.locate(source.source()).toString(), Map.copyOf(source.options()));
        } catch (URISyntaxException e) {
            throw new AssertionError("the configuration was checked", e);
        }
    }

    private static @Nullable String name(@Nullable Provider parser) {
        return parser == null ? null : parser.name();
    }
}
