package io.glyphgate.proxy.conformance;

import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * How a family marks its reasoning, for rules that look at the whole output.
 *
 * @param open the marker that may open it
 * @param close the marker that ends it
 * @param opening which opening markers in the output are no text
 * @param trimmed whether white space at its end is dropped
 * @param offWhen template arguments that turn it off
 * @param onWhen template arguments that keep it on nevertheless
 * @param optIn whether it is off unless they do
 */
record Thoughts(
        String open,
        String close,
        Opening opening,
        boolean trimmed,
        Map<String, Object> offWhen,
        Map<String, Object> onWhen,
        boolean optIn) {
    /** Which opening markers are no text. */
    enum Opening {
        NONE,
        FIRST,
        ALL
    }

    private static final Map<String, Object> OFF = Map.of("enable_thinking", false);
    private static final Map<String, Object> NO_THINKING = Map.of("thinking", false, "enable_thinking", false);
    private static final Map<String, Object> THINKING = Map.of("thinking", true, "enable_thinking", true);

    private static final Thoughts ALWAYS =
            new Thoughts("<think>", "</think>", Opening.ALL, false, Map.of(), Map.of(), false);
    private static final Thoughts TRIMMED =
            new Thoughts("<think>", "</think>", Opening.ALL, true, Map.of(), Map.of(), false);
    private static final Thoughts STEP3 =
            new Thoughts("<think>", "</think>", Opening.NONE, false, Map.of(), Map.of(), false);
    private static final Thoughts GLM =
            new Thoughts("<think>", "</think>", Opening.ALL, true, NO_THINKING, THINKING, false);
    private static final Thoughts GEMMA =
            new Thoughts(OutputParts.CHANNEL, OutputParts.CHANNEL_END, Opening.ALL, true, Map.of(), Map.of(), false);
    private static final Thoughts OLMO3 =
            new Thoughts("<think>", "</think>", Opening.FIRST, false, Map.of(), Map.of(), false);
    private static final Thoughts KIMI =
            new Thoughts("<think>", "</think>", Opening.ALL, true, NO_THINKING, Map.of(), false);
    private static final Thoughts DEEPSEEK =
            new Thoughts("<think>", "</think>", Opening.FIRST, false, Map.of(), Map.of(), false);
    private static final Thoughts DEEPSEEK_V3 =
            new Thoughts("<think>", "</think>", Opening.FIRST, false, Map.of(), THINKING, true);

    private static final Map<String, Thoughts> FAMILIES = Map.of(
            "qwen3", new Thoughts("<think>", "</think>", Opening.ALL, false, OFF, Map.of(), false),
            "nemotron_v3", new Thoughts("<think>", "</think>", Opening.ALL, true, OFF, Map.of(), false),
            "seed_oss", new Thoughts("<seed:think>", "</seed:think>", Opening.ALL, false, OFF, Map.of(), false),
            "step3p5", TRIMMED,
            "minimax_m2", TRIMMED,
            "glm45", GLM,
            "glm47", GLM,
            "kimi_k2", KIMI,
            "gemma4", GEMMA);

    /** The notation of the case's reasoning parser, or that of most. */
    static Thoughts of(GoldenCase golden) {
        String parser = golden.reasoningParser().orElse("");
        return switch (parser) {
            case "step3" -> STEP3;
            case "olmo3" -> OLMO3;
            case "deepseek_r1" -> DEEPSEEK;
            case "deepseek_v3" -> DEEPSEEK_V3;
            default -> FAMILIES.getOrDefault(parser, ALWAYS);
        };
    }

    /** Whether the reasoning parser is one of the engine that vLLM's parsers of Qwen's kind share. */
    static boolean engine(GoldenCase golden) {
        return golden.reasoningParser().filter(FAMILIES::containsKey).isPresent();
    }

    /** A reasoning without what is no text in it. */
    String unmarked(String reasoning) {
        String bare =
                switch (opening) {
                    case NONE -> reasoning;
                    case FIRST -> reasoning.replaceFirst(Pattern.quote(open), "");
                    case ALL -> reasoning.replace(open, "");
                };
        return trimmed ? Space.stripTrailing(bare) : bare;
    }

    /** Whether a marker stands in a text. */
    boolean marked(String text) {
        return text.contains(open) || text.contains(close);
    }

    boolean off(GoldenCase golden) {
        return (optIn || given(golden, offWhen)) && !given(golden, onWhen);
    }

    private static boolean given(GoldenCase golden, Map<String, Object> arguments) {
        Map<String, Object> sent = golden.parseRequest().chatTemplateArguments();
        return arguments.entrySet().stream()
                .anyMatch(argument -> Objects.equals(sent.get(argument.getKey()), argument.getValue()));
    }
}
