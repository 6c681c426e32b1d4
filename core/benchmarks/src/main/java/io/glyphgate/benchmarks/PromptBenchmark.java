package io.glyphgate.benchmarks;

import io.glyphgate.spi.ChatTemplate;
import io.glyphgate.spi.ChatTemplateException;
import io.glyphgate.spi.ChatTemplateProvider;
import io.glyphgate.spi.Tokenizer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** One prompt: a text made into tokens, and a conversation made into a text. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 1, jvmArgsAppend = "--enable-native-access=ALL-UNNAMED")
public class PromptBenchmark {
    private static final Path TEMPLATE =
            Path.of("plugins/chat-template-jinja/src/test/resources/templates/npm/qwen3.jinja");
    private static final String WORDS = "It is 7 degrees in Tromsø, the wind comes from the north-east, and the sun may be seen later. ";
    private static final LocalDateTime NOW = LocalDateTime.of(2026, 11, 30, 12, 0);

    /** How many characters the text has, or all messages of the conversation together. */
    @Param({"100", "10000", "1000000"})
    public int characters;

    private @Nullable Tokenizer tokenizer;
    private @Nullable ChatTemplate template;
    private String text = "";
    private String prompt = "";
    private Map<String, Object> conversation = Map.of();

    /** Makes the text and the conversation. */
    @Setup
    public void load() throws IOException, ChatTemplateException {
        Installed installed = Installed.load();
        tokenizer = installed.tokenizer();
        ChatTemplateProvider engine = installed.parsers().find(ChatTemplateProvider.class, "jinja").orElseThrow();
        template = engine.compile(Files.readString(
                Installed.checkedOut(TEMPLATE)));
        text = WORDS.repeat(characters / WORDS.length() + 1).substring(0, characters);
        conversation = Map.of("messages", messages(), "add_generation_prompt", true);
        prompt = render();
    }

    /** Turns of about 500 characters each, the last one the user's. */
    private List<Map<String, Object>> messages() {
        int turns = Math.max(1, characters / 500) | 1;
        int each = characters / turns;
        List<Map<String, Object>> messages = new ArrayList<>();
        for (int i = 0; i < turns; i++) {
            messages.add(Map.of(
                    "role", i % 2 == 0 ? "user" : "assistant", "content", text.substring(i * each, (i + 1) * each)));
        }
        return messages;
    }

    /** {@code /tokenize} of a text, without its HTTP. */
    @Benchmark
    public int[] encode() {
        return Objects.requireNonNull(tokenizer).encode(text, false);
    }

    /** The tokens of a conversation whose messages are known: they were sent with the turn before. */
    @Benchmark
    public int[] encodeKnown() {
        return Objects.requireNonNull(tokenizer).encode(prompt, false);
    }

    /** A chat template, without the tokens. */
    @Benchmark
    public String render() throws ChatTemplateException {
        return Objects.requireNonNull(template).render(conversation, NOW);
    }
}
