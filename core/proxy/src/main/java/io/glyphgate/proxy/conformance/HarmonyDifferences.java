package io.glyphgate.proxy.conformance;

import io.glyphgate.proxy.conformance.DifferenceRules.Difference;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Where the messages of the harmony format differ from vLLM's batch answer. */
final class HarmonyDifferences {
    private static final Set<String> ENDS = Set.of("<|end|>", "<|call|>", "<|return|>");
    private static final Set<String> MARKERS = Set.of(
            "<|start|>", "<|channel|>", "<|constrain|>", "<|message|>", "<|end|>", "<|call|>", "<|return|>");
    private static final Pattern MESSAGE = Pattern.compile("(?s)(?<start><\\|start\\|>assistant)?"
            + "(?<header>(?:(?!<\\|(?:start|message|end|call|return)\\|>).)*)<\\|message\\|>"
            + "(?<body>.*?)(?:<\\|(?:end|call|return)\\|>(?=\\s*(?:<\\||$))|$)");
    private static final Pattern CHANNEL = Pattern.compile("<\\|channel\\|>(\\w*)");

    /** A message of the output. */
    private record Message(String channel, boolean addressed, String body, boolean started) {
        boolean reasoning() {
            return !addressed && channel.equals("analysis");
        }

        boolean content() {
            return !addressed && !channel.equals("analysis");
        }

        boolean known() {
            return addressed || Set.of("analysis", "commentary", "final").contains(channel);
        }
    }

    static final List<Rule> ALL = List.of(
            new Difference(
                    "D80",
                    "One parser reads all channels, so reasoning is told apart without a reasoning parser too (openai)",
                    golden -> harmony(golden) && golden.reasoningParser().isEmpty(),
                    (golden, answer) -> ReasoningDifferences.shown(golden, answer, reasoning(golden))),
            new Difference(
                    "D81",
                    "Messages of one kind follow each other as they stand (openai)",
                    golden -> harmony(golden)
                            && (count(golden, true) > 1 || count(golden, false) > 1),
                    (golden, answer) -> ReasoningDifferences.shown(golden, answer, reasoning(golden))
                            .withContent(content(golden))),
            new Difference(
                    "D82",
                    "A message in no known channel is content (openai)",
                    golden -> harmony(golden) && messages(golden).stream().anyMatch(m -> !m.known()),
                    (golden, answer) -> answer.withContent(content(golden))),
            new Difference(
                    "D83",
                    "A message may start at its channel (openai)",
                    golden -> harmony(golden)
                            && messages(golden).stream().skip(1).anyMatch(message -> !message.started()),
                    (golden, answer) -> ReasoningDifferences.shown(golden, answer, reasoning(golden))
                            .withContent(content(golden))),
            new Difference(
                    "D84",
                    "A stop string is cut from the message too (openai)",
                    golden -> harmony(golden)
                            && !golden.json().path("detok").path("stop_reason").asText("").isEmpty(),
                    (golden, answer) -> ReasoningDifferences.shown(golden, answer, reasoning(golden))
                            .withContent(content(golden))),
            new Difference(
                    "D85",
                    "Bytes that are no character and end a message never come (openai)",
                    golden -> harmony(golden) && lastBytesBroken(golden),
                    (golden, answer) -> answer.withContent(content(golden))),
            new Difference(
                    "D86",
                    "The token that ended the output is no text (openai)",
                    golden -> harmony(golden)
                            && golden.endedByToken()
                            && ENDS.stream().noneMatch(written(golden)::endsWith),
                    (golden, answer) -> answer.withContent(content(golden))));

    private HarmonyDifferences() {}

    private static boolean harmony(GoldenCase golden) {
        return golden.reasoningParser().filter("openai_gptoss"::equals).isPresent()
                || golden.toolParser().filter("openai"::equals).isPresent();
    }

    /** How the output was written, without the bytes of split characters. */
    private static String written(GoldenCase golden) {
        StringBuilder text = new StringBuilder();
        golden.json().path("segments").forEach(segment -> text.append(segment.asText()));
        return text.toString();
    }

    private static boolean lastBytesBroken(GoldenCase golden) {
        List<String> pieces = pieces(golden);
        return golden.answer().filter(answer -> answer.content().endsWith("\ufffd")).isPresent()
                && !String.join("", pieces).endsWith("\ufffd");
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
            messages.add(new Message(
                    channel.find() ? channel.group(1) : "",
                    header.contains("to="),
                    matcher.group("body"),
                    matcher.group("start") != null));
        }
        if (!text.substring(end).isBlank()) {
            messages.add(new Message("final", false, text.substring(end), true));
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
