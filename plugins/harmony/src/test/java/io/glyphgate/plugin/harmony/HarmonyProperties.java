package io.glyphgate.plugin.harmony;

import static org.assertj.core.api.Assertions.assertThat;

import io.glyphgate.spi.CombinedParser;
import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.TokenDelta;
import io.glyphgate.testkit.Parsed;
import io.glyphgate.testkit.Recorder;
import io.glyphgate.testkit.TestContext;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class HarmonyProperties {
    private static final TestContext CONTEXT = TestContext.builder().build();
    private static final List<String> ENDS = List.of("<|end|>", "<|call|>", "<|return|>");

    /** A message as the model writes it, and what must come of it. */
    private record Message(String header, String body, String reasoning, String content, String function) {
        String written(String end) {
            return header + "<|message|>" + body + end;
        }
    }

    @Provide
    Arbitrary<String> bodies() {
        return Arbitraries.of("a", " ", "\n", "{\"k\": \"", "\"}", "<|end|>x", "<|call|> y", "<|", "|>", "🚢", "to=functions.g")
                .list()
                .ofMaxSize(8)
                .map(pieces -> String.join("", pieces));
    }

    @Provide
    Arbitrary<List<Message>> messages() {
        Arbitrary<Message> reasoning =
                bodies().map(body -> new Message("<|channel|>analysis", body, body, "", ""));
        Arbitrary<Message> content = Combinators.combine(Arbitraries.of("final", "commentary"), bodies())
                .as((channel, body) -> new Message("<|channel|>" + channel, body, "", body, ""));
        Arbitrary<Message> call = Combinators.combine(
                        Arbitraries.of(
                                "<|channel|>commentary to=functions.f <|constrain|>json",
                                "<|channel|>commentary to=functions.f json",
                                "<|channel|>analysis to=functions.f<|constrain|>json",
                                " to=functions.f<|channel|>commentary"),
                        bodies())
                .as((header, body) -> new Message(header, body, "", "", "f"));
        Arbitrary<Message> own =
                bodies().map(body -> new Message("<|channel|>commentary to=python code", body, "", "", ""));
        return Arbitraries.oneOf(reasoning, content, call, own).list().ofMinSize(1).ofMaxSize(5);
    }

    @Provide
    Arbitrary<String> outputs() {
        return Arbitraries.of(
                        "<|start|>",
                        "assistant",
                        "user",
                        "<|channel|>",
                        "analysis",
                        "final",
                        "commentary",
                        "other",
                        " to=functions.f",
                        "to=python",
                        "<|constrain|>",
                        "json",
                        "<|message|>",
                        "<|end|>",
                        "<|call|>",
                        "<|return|>",
                        "<|channel|>final<|message|>",
                        "<|start|>assistant<|channel|>analysis<|message|>",
                        "<|chan",
                        "nel|>",
                        "<|",
                        " ",
                        "\n",
                        "word",
                        "long enough to be no header ".repeat(10),
                        "🚢",
                        "\ud83d")
                .list()
                .ofMaxSize(30)
                .map(pieces -> String.join("", pieces));
    }

    @Property
    void whatTheModelWroteComesOut(
            @ForAll("messages") List<Message> messages, @ForAll("ends") List<String> ends, @ForAll("cuts") List<Integer> cuts) {
        StringBuilder output = new StringBuilder();
        StringBuilder reasoning = new StringBuilder();
        StringBuilder content = new StringBuilder();
        List<Parsed.Call> calls = new ArrayList<>();
        for (int i = 0; i < messages.size(); i++) {
            Message message = messages.get(i);
            output.append(i == 0 ? "" : "<|start|>assistant").append(message.written(ends.get(i)));
            reasoning.append(message.reasoning);
            content.append(message.content);
            if (!message.function.isEmpty()) {
                calls.add(new Parsed.Call(message.function, null, message.body));
            }
        }
        Recorder out = run(output.toString(), cuts, FinishReason.STOP);
        assertThat(out.parsed()).isEqualTo(new Parsed(reasoning.toString(), content.toString(), calls));
    }

    @Provide
    Arbitrary<List<String>> ends() {
        return Arbitraries.of(ENDS).list().ofSize(5);
    }

    @Provide
    Arbitrary<List<Integer>> cuts() {
        return Arbitraries.integers().between(1, 20).list().ofMinSize(1).ofMaxSize(8);
    }

    @Property
    void anyOutputIsAccountedForHoweverItIsCut(
            @ForAll("outputs") String output,
            @ForAll("cuts") List<Integer> cuts,
            @ForAll FinishReason reason) {
        Recorder whole = run(output, List.of(Math.max(1, output.length())), reason);
        assertThat(whole.consumed()).isEqualTo(output);
        Recorder cut = run(output, cuts, reason);
        assertThat(cut.consumed()).isEqualTo(output);
        assertThat(cut.parsed()).isEqualTo(whole.parsed());
    }

    @Property
    void whatWasSentStandsWhereverTheOutputEnds(@ForAll("messages") List<Message> messages, @ForAll("cuts") List<Integer> cuts) {
        String output = String.join(
                "<|start|>assistant",
                messages.stream().map(message -> message.written("<|end|>")).toList());
        Parsed whole = run(output, cuts, FinishReason.STOP).parsed();
        for (int length = 0; length < output.length(); length += 1 + length / 10) {
            Recorder cut = run(output.substring(0, length), cuts, FinishReason.LENGTH);
            assertThat(cut.consumed()).isEqualTo(output.substring(0, length));
            for (int i = 0; i < cut.parsed().calls().size(); i++) {
                assertThat(cut.parsed().calls().get(i).name())
                        .isEqualTo(whole.calls().get(i).name());
            }
        }
    }

    private static Recorder run(String output, List<Integer> cuts, FinishReason reason) {
        CombinedParser parser = new Harmony().create(CONTEXT);
        Recorder out = new Recorder();
        int cut = 0;
        for (int at = 0; at < output.length(); cut++) {
            int to = Math.min(output.length(), at + cuts.get(cut % cuts.size()));
            parser.accept(TokenDelta.of(output.substring(at, to)), out);
            at = to;
        }
        parser.finish(reason, out);
        return out;
    }
}
