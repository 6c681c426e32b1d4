package io.glyphgate.proxy.conformance;

import io.glyphgate.proxy.conformance.Answer.Call;
import io.glyphgate.proxy.conformance.DifferenceRules.Difference;
import io.glyphgate.spi.ToolChoice;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Where the messages of the harmony format differ from vLLM's batch answer. */
final class HarmonyDifferences {
    private static final Set<String> ENDS = Set.of("<|end|>", "<|call|>", "<|return|>");
    private static final Set<String> MARKERS =
            Set.of("<|start|>", "<|channel|>", "<|constrain|>", "<|message|>", "<|end|>", "<|call|>", "<|return|>");
    private static final Pattern MESSAGE = Pattern.compile("(?s)(?<start><\\|start\\|>assistant)?"
            + "(?<header>(?:(?!<\\|(?:start|message|end|call|return)\\|>).)*)<\\|message\\|>"
            + "(?<body>.*?)(?:<\\|(?:end|call|return)\\|>(?=\\s*(?:<\\||$))|$)");
    private static final Pattern CHANNEL = Pattern.compile("<\\|channel\\|>(\\w*)");
    private static final Pattern RECIPIENT = Pattern.compile("(?:^|[\\s>])to=([^\\s<]*)");
    private static final String FUNCTIONS = "functions.";
    private static final Set<String> CHANNELS = Set.of("analysis", "commentary", "final");

    /**
     * A message of the output, or text outside of one.
     *
     * @param started whether it starts with its own marker
     */
    private record Message(String channel, String recipient, String body, boolean started) {
        boolean call() {
            return recipient.startsWith(FUNCTIONS) && recipient.length() > FUNCTIONS.length();
        }

        boolean reasoning() {
            return !call() && channel.equals("analysis");
        }

        boolean content() {
            return recipient.isEmpty() && !reasoning();
        }

        boolean known() {
            return !recipient.isEmpty() || CHANNELS.contains(channel);
        }
    }

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
                    golden -> written(golden) && messages(golden).stream().anyMatch(m -> !m.known()),
                    HarmonyDifferences::read),
            new Difference(
                    "D83",
                    "A message may start at its channel (openai)",
                    golden -> written(golden)
                            && messages(golden).stream().skip(1).anyMatch(message -> !message.started()),
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
                            && ENDS.stream().noneMatch(text(golden)::endsWith),
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
        List<Call> calls = messages(golden).stream()
                .filter(message -> message.call() && wanted)
                .map(message -> new Call("", message.recipient().substring(FUNCTIONS.length()), message.body()))
                .toList();
        Answer shown = ReasoningDifferences.shown(golden, answer, reasoning(golden));
        return CallDifferences.withCalls(golden, shown.withContent(content(golden)), calls);
    }

    /** How the output was written, without the bytes of split characters. */
    private static String text(GoldenCase golden) {
        StringBuilder text = new StringBuilder();
        golden.json().path("segments").forEach(segment -> text.append(segment.asText()));
        return text.toString();
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

    /** The messages, and as another of content what follows them: text, or a header that was cut off. */
    private static List<Message> messages(GoldenCase golden) {
        List<Message> messages = new ArrayList<>();
        String text = String.join("", pieces(golden));
        Matcher matcher = MESSAGE.matcher(text);
        int end = 0;
        while (matcher.find()) {
            end = matcher.end();
            String header = matcher.group("header");
            Matcher channel = CHANNEL.matcher(header);
            Matcher recipient = RECIPIENT.matcher(header);
            messages.add(new Message(
                    channel.find() ? channel.group(1) : "",
                    recipient.find() ? recipient.group(1) : "",
                    matcher.group("body"),
                    matcher.group("start") != null));
        }
        String rest = text.substring(end);
        if (!rest.isBlank()) {
            messages.add(new Message("final", "", rest, rest.startsWith("<|start|>")));
        }
        return messages;
    }

    private static long count(GoldenCase golden, boolean reasoning) {
        return messages(golden).stream()
                .filter(message -> reasoning ? message.reasoning() : message.content())
                .count();
    }

    private static String reasoning(GoldenCase golden) {
        StringBuilder text = new StringBuilder();
        messages(golden).stream().filter(Message::reasoning).forEach(message -> text.append(message.body()));
        return text.toString();
    }

    private static String content(GoldenCase golden) {
        StringBuilder text = new StringBuilder();
        messages(golden).stream().filter(Message::content).forEach(message -> text.append(message.body()));
        return text.toString();
    }
}
