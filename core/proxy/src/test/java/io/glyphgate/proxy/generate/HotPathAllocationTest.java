package io.glyphgate.proxy.generate;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.glyphgate.proxy.choice.OutputPlan;
import io.glyphgate.proxy.choice.StopStrings;
import io.glyphgate.proxy.plugin.Registry;
import io.glyphgate.proxy.wire.Answer;
import io.glyphgate.proxy.wire.GenerateBody;
import io.glyphgate.proxy.wire.JsonOut;
import io.glyphgate.proxy.wire.ParseRequest;
import io.glyphgate.proxy.wire.SseReader;
import io.glyphgate.spi.OutputModeProvider;
import io.glyphgate.spi.OutputModeProvider.Need;
import io.glyphgate.spi.ReasoningParserProvider;
import io.glyphgate.spi.Tokenizer;
import io.glyphgate.spi.TokenizerProvider;
import io.glyphgate.spi.ToolParserProvider;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A further token allocates nothing on its way from the server's event to the client's: the event is read and scanned, its token
 * becomes text, the text is parsed, and the new event is written. Bytes are counted, which are the same on every machine, and not
 * time.
 */
class HotPathAllocationTest {
    private static final Path TOKENIZER = Path.of("../../distribution/src/main/tokenizers/qwen3");
    private static final int FEW = 1_000;
    private static final int MANY = 5_000;
    /** Compiled code may allocate less than interpreted code; what allocates for good does so in every round. */
    private static final int ROUNDS = 10;
    /** Nothing, but for a buffer that grows now and then. */
    private static final double MOST_BYTES_PER_TOKEN = 1;

    private static final String WORDS = " It is 7 degrees in Tromsø, the \"wind\" comes from the north-east.";
    private static final String REQUEST = """
            {"model":"m","token_ids":[9707],"sampling_params":{"max_tokens":10000},"stream":true,"output_mode":"MODE",\
            "parse_context":{"tool_choice":"auto","tools":[{"type":"function","function":{"name":"write","parameters":\
            {"type":"object","properties":{"text":{"type":"string"}}}}}]}}""";

    private static Registry registry;
    private static Tokenizer tokenizer;

    @BeforeAll
    static void load() throws IOException {
        registry = Registry.of(HotPathAllocationTest.class.getClassLoader());
        tokenizer = registry.find(TokenizerProvider.class, "huggingface")
                .orElseThrow()
                .load(TOKENIZER.toAbsolutePath().normalize().toUri(), Map.of());
    }

    @AfterAll
    static void close() {
        tokenizer.close();
        registry.close();
    }

    /** The parts of an output of which one is long: reasoning, content, or the string of a call. */
    @ParameterizedTest(name = "{0}, {1}")
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "tokens   |        |             | `<think>`",
                "text     |        |             | `<think>`",
                "derender | qwen3  | hermes      | `<think>`",
                "derender | qwen3  | hermes      | `<think>\n</think>\n`",
                "derender | qwen3  | hermes      | `</think><tool_call>\n{\"name\": \"write\", \"arguments\": {\"text\": \"`",
                "derender | step3p5 | qwen3_coder | `</think><tool_call>\n<function=write>\n<parameter=text>\n`",
                "derender |        | pythonic    | `[write(text=\"`"
            })
    void aFurtherTokenAllocatesNothing(String mode, String reasoning, String tools, String before) throws IOException {
        byte[] few = events(before, FEW);
        byte[] many = events(before, MANY);
        double best = Double.MAX_VALUE;
        for (int round = 0; round < ROUNDS && best >= MOST_BYTES_PER_TOKEN; round++) {
            long more = allocated(mode, reasoning, tools, many) - allocated(mode, reasoning, tools, few);
            best = Math.min(best, (double) more / (MANY - FEW));
        }
        assertThat(best).as("bytes allocated per token").isLessThan(MOST_BYTES_PER_TOKEN);
    }

    /** A stream as vLLM sends it. The words hold no quotes where one would end a string of the call. */
    private static byte[] events(String before, int tokens) {
        String words = before.endsWith("\"") ? WORDS.replace("\"", "") : WORDS;
        int[] lead = tokenizer.encode(before, false);
        int[] rest = tokenizer.encode(words, false);
        StringBuilder stream = new StringBuilder();
        for (int i = 0; i < tokens; i++) {
            stream.append("data: {\"request_id\":\"a-request\",\"usage\":null,\"output_mode\":\"tokens\",\"choices\":[{\"index\":0,")
                    .append("\"finish_reason\":null,\"stop_reason\":null,\"token_ids\":[")
                    .append(i < lead.length ? lead[i] : rest[(i - lead.length) % rest.length])
                    .append("],\"routed_experts\":null,\"logprobs\":null}]}\n\n");
        }
        return stream.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static Passage passage(String mode, String reasoning, String tools) {
        GenerateBody body = GenerateBody.parse(REQUEST.replace("MODE", mode).getBytes(StandardCharsets.UTF_8));
        if (mode.equals("tokens")) {
            return new Passage.Verbatim();
        }
        OutputModeProvider provider = registry.find(OutputModeProvider.class, mode).orElseThrow();
        boolean message = provider.needs().contains(Need.MESSAGE);
        OutputPlan.Parsers parsers = new OutputPlan.Parsers(
                null,
                reasoning == null ? null : registry.find(ReasoningParserProvider.class, reasoning).orElseThrow(),
                tools == null ? null : registry.find(ToolParserProvider.class, tools).orElseThrow());
        OutputPlan plan = new OutputPlan(
                "m",
                Set.copyOf(provider.needs()),
                tokenizer,
                parsers,
                body.promptTokenIds(),
                true,
                true,
                StopStrings.NONE,
                false,
                message ? body.parseRequest() : ParseRequest.DEFAULT);
        Translation translation = new Translation(body, plan, 0, null);
        return new Passage.Translated(translation, new ModeForm(provider, body).open(translation));
    }

    /** Does what {@link AnswerWriter} does with each event. */
    private static long allocated(String mode, String reasoning, String tools, byte[] stream) throws IOException {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        Passage passage = passage(mode, reasoning, tools);
        SseReader events = new SseReader(new ByteArrayInputStream(stream), 1 << 20);
        Answer answer = new Answer();
        JsonOut out = new JsonOut();
        long written = 0;
        long before = threads.getCurrentThreadAllocatedBytes();
        while (events.next()) {
            answer.scan(events.data(), events.dataFrom(), events.dataTo());
            out.clear();
            passage.event(answer, events, out);
            written += out.length();
        }
        long bytes = threads.getCurrentThreadAllocatedBytes() - before;
        assertThat(written).as("bytes written").isGreaterThan(stream.length / 3); // a stream that says next to nothing proves nothing
        return bytes;
    }
}
