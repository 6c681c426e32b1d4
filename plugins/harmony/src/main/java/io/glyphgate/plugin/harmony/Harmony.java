package io.glyphgate.plugin.harmony;

import io.glyphgate.toolkit.CallConstraint;
import io.glyphgate.toolkit.ChannelFormat;
import io.glyphgate.toolkit.FormatCombinedParserProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * gpt-oss: messages in the channels {@code analysis}, {@code commentary} and {@code final}. One parser for what vLLM calls
 * the reasoning parser {@code openai_gptoss} and the tool parser {@code openai}.
 */
public final class Harmony extends FormatCombinedParserProvider {
    private static final List<String> CHANNELS =
            List.of("<|channel|>commentary", "<|channel|>analysis", "<|channel|>final");

    /** The ways to say that a body is JSON. */
    private static final List<String> JSON_TYPES = List.of(" json", " <|constrain|>json");

    /** A message that may stand before the one that counts. */
    private static final String EARLIER = """
            {"type": "optional", "content": {"type": "sequence", "elements": [
              {"type": "tag", "begin": "<|channel|>%s<|message|>", "content": {"type": "any_text"}, "end": "<|end|>"},
              {"type": "const_string", "value": "<|start|>assistant"}]}}""";

    /** A message that counts. A stop token, which ends it too, is no part of a constraint. */
    private static final String MESSAGE = """
            {"type": "tag", "begin": "%s<|message|>", "content": %s, "end": ["<|end|>", ""]}""";

    private static final String ARGUMENTS = """
            {"type": "json_schema", "json_schema": "${parameters}", "style": "json"}""";
    private static final String TEXT = """
            {"type": "any_text"}""";

    private static final ChannelFormat FORMAT = new ChannelFormat(
            "<|start|>",
            "assistant",
            "<|channel|>",
            "<|constrain|>",
            "<|message|>",
            List.of("<|end|>", "<|call|>", "<|return|>"),
            "to=",
            "functions.",
            Set.of("python", "browser", "container"),
            Set.of("analysis"),
            Set.of("final", "commentary"),
            Optional.of(constraint()));

    /** For the service loader. */
    public Harmony() {
        super("openai", Set.of("openai_gptoss"), FORMAT);
    }

    private static CallConstraint constraint() {
        List<String> calls = new ArrayList<>();
        List<String> answers = new ArrayList<>();
        List<String> jsonAnswers = new ArrayList<>();
        for (String type : JSON_TYPES) {
            CHANNELS.forEach(channel -> calls.add(MESSAGE.formatted(" to=functions.${name}" + channel + type, ARGUMENTS)));
        }
        for (String type : JSON_TYPES) {
            CHANNELS.forEach(channel -> calls.add(MESSAGE.formatted(channel + " to=functions.${name}" + type, ARGUMENTS)));
            answers.add(MESSAGE.formatted("<|channel|>final" + type, TEXT));
            jsonAnswers.add(MESSAGE.formatted("<|channel|>final" + type, "\"${content}\""));
        }
        answers.add(MESSAGE.formatted("<|channel|>final", TEXT));
        String call = "{\"each-function\": \"${call}\"}";
        String thought = EARLIER.formatted("analysis");
        String preamble = EARLIER.formatted("commentary");
        return new CallConstraint(
                "[" + String.join(",\n", calls) + "]",
                sequence(thought, preamble, either(call, String.join(",\n", answers))),
                sequence(thought, preamble, either(call)),
                "",
                false,
                sequence(
                        thought,
                        "{\"if-json\": " + either(jsonAnswers.toArray(String[]::new)) + ", \"else\": "
                                + MESSAGE.formatted("<|channel|>final", "\"${content}\"") + "}"));
    }

    private static String sequence(String... elements) {
        return "{\"type\": \"sequence\", \"elements\": [" + String.join(",\n", elements) + "]}";
    }

    private static String either(String... elements) {
        return "{\"type\": \"or\", \"elements\": [" + String.join(",\n", elements) + "]}";
    }

    @Override
    public boolean stopsInMarkers() {
        return false;
    }
}
