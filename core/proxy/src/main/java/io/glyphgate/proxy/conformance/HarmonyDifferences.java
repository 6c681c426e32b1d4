package io.glyphgate.proxy.conformance;

import io.glyphgate.proxy.conformance.Answer.Call;
import io.glyphgate.proxy.conformance.DifferenceRules.Difference;
import io.glyphgate.proxy.conformance.HarmonyMessages.Message;
import io.glyphgate.spi.ToolChoice;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Where the messages of the harmony format differ from vLLM's batch answer. */
final class HarmonyDifferences {
    private static final Set<String> ENDS = Set.of("<|end|>", "<|call|>", "<|return|>");
    private static final Set<String> MARKERS =
            Set.of("<|start|>", "<|channel|>", "<|constrain|>", "<|message|>", "<|end|>", "<|call|>", "<|return|>");

    static final List<Rule> ALL = List.of(
            new Difference(
                    "D80",
                    "One parser reads all channels, so reasoning is told apart without a reasoning parser too (openai)",
                    golden -> written(golden) && golden.reasoningParser().isEmpty(),
                    (golden, answer) -> ReasoningDifferences.shown(golden, answer, reasoning(golden))),
            new Difference(
                    "D81",
                    "Messages of one kind follow each other as they stand (openai)",
                    golden -> written(golden) && (count(golden, true) > 1 || count(golden, false) > 1),
                    HarmonyDifferences::read),
            new Difference(
                    "D82",
                    "A message in no known channel is content (openai)",
                    golden -> written(golden) && any(golden, message -> !message.known()),
                    HarmonyDifferences::read),
            new Difference(
                    "D83",
                    "A message may start without its marker (openai)",
                    golden -> written(golden)
                            && messages(golden).messages().stream().skip(1).anyMatch(message -> !message.started()),
                    HarmonyDifferences::read),
            new Difference(
                    "D84",
                    "A stop string is cut from the message too (openai)",
                    golden -> written(golden)
                            && !golden.json()
                                    .path("detok")
                                    .path("stop_reason")
                                    .asText("")
                                    .isEmpty(),
                    HarmonyDifferences::read),
            new Difference(
                    "D85",
                    "Bytes that are no character and end a message never come (openai)",
                    golden -> written(golden) && lastBytesBroken(golden),
                    HarmonyDifferences::read),
            new Difference(
                    "D86",
                    "The token that ended the output is no text (openai)",
                    golden -> written(golden)
                            && golden.endedByToken()
                            && !(messages(golden).open() && ENDS.stream().anyMatch(text(golden)::endsWith)),
                    HarmonyDifferences::read),
            new Difference(
                    "D87",
                    "Text outside of messages is content (openai)",
                    golden -> written(golden) && !Space.blank(messages(golden).outside()),
                    HarmonyDifferences::read),
            new Difference(
                    "D88",
                    "A message that starts in another ends it (openai)",
                    golden -> written(golden) && interrupted(golden),
                    HarmonyDifferences::read),
            new Difference(
                    "D89",
                    "A header is read for its channel and its recipient, whatever else it holds (openai)",
                    golden -> written(golden) && !plain(golden),
                    HarmonyDifferences::read),
            new Difference(
                    "D97",
                    "An end with text behind it is text (openai)",
                    golden -> written(golden) && any(golden, Message::holdsEnd),
                    HarmonyDifferences::read),
            new Difference(
                    "D98",
                    "An end that ends nothing is dropped (openai)",
                    golden -> written(golden) && messages(golden).idleEnds(),
                    HarmonyDifferences::read),
            new Difference(
                    "D33",
                    AnswerDifferences.FOLLOW,
                    golden -> written(golden)
                            && golden.skipSpecialTokens()
                            && WrittenText.uncut(golden).contains("<|endoftext|>"),
                    HarmonyDifferences::read),
            new Difference(
                    "D99",
                    "A marker counts however the model spells it (openai)",
                    golden -> written(golden) && spelled(golden),
                    HarmonyDifferences::read));

    private HarmonyDifferences() {}

    static boolean written(GoldenCase golden) {
        return golden.reasoningParser().filter("openai_gptoss"::equals).isPresent()
                || golden.toolParser().filter("openai"::equals).isPresent();
    }

    /** The answer that has every message where it belongs. */
    private static Answer read(GoldenCase golden, Answer answer) {
        boolean wanted = golden.toolParser().isPresent()
                && golden.parseRequest().toolChoice().mode() != ToolChoice.Mode.NONE;
        List<Call> calls = messages(golden).messages().stream()
                .filter(message -> message.call() && wanted)
                .map(message -> new Call("", message.function(), message.body()))
                .toList();
        Answer shown = ReasoningDifferences.shown(golden, answer, reasoning(golden));
        return CallDifferences.withCalls(golden, shown.withContent(messages(golden).content()), calls);
    }

    /** How the output was written, without the bytes of split characters. */
    private static String text(GoldenCase golden) {
        StringBuilder text = new StringBuilder();
        golden.json().path("segments").forEach(segment -> text.append(segment.asText()));
        return text.toString();
    }

    /** Whether a marker is written with other tokens than its own. */
    private static boolean spelled(GoldenCase golden) {
        String whole = WrittenText.uncut(golden);
        return MARKERS.stream().anyMatch(marker -> count(whole, marker) > count(text(golden), marker));
    }

    private static int count(String text, String marker) {
        return text.split(Pattern.quote(marker), -1).length - 1;
    }

    private static boolean lastBytesBroken(GoldenCase golden) {
        return golden.answer()
                        .filter(answer -> answer.reasoning().endsWith("\ufffd")
                                || answer.content().endsWith("\ufffd")
                                || answer.calls().stream()
                                        .anyMatch(call -> call.arguments().endsWith("\ufffd")))
                        .isPresent()
                && !String.join("", pieces(golden)).endsWith("\ufffd");
    }

    private static List<String> pieces(GoldenCase golden) {
        List<String> recorded = new ArrayList<>();
        golden.json().path("detok").path("deltas").forEach(piece -> recorded.add(piece.asText()));
        return WrittenText.of(golden, recorded, MARKERS);
    }

    private static HarmonyMessages messages(GoldenCase golden) {
        return HarmonyMessages.of(String.join("", pieces(golden)));
    }

    private static boolean any(GoldenCase golden, Predicate<Message> what) {
        return messages(golden).messages().stream().anyMatch(what);
    }

    /** Whether a message but the last has no end. */
    private static boolean interrupted(GoldenCase golden) {
        List<Message> messages = messages(golden).messages();
        return messages.stream().limit(Math.max(0, messages.size() - 1)).anyMatch(message -> !message.ended());
    }

    private static boolean plain(GoldenCase golden) {
        List<Message> messages = messages(golden).messages();
        return IntStream.range(0, messages.size()).allMatch(i -> messages.get(i).plain(i == 0));
    }

    private static long count(GoldenCase golden, boolean reasoning) {
        return messages(golden).messages().stream()
                .filter(message -> reasoning ? message.reasoning() : message.content())
                .count();
    }

    private static String reasoning(GoldenCase golden) {
        return messages(golden).messages().stream()
                .filter(Message::reasoning)
                .map(Message::body)
                .collect(Collectors.joining());
    }
}
