package io.glyphgate.proxy.plugin;

import io.glyphgate.proxy.config.Nearest;
import java.util.Map;
import java.util.Set;

/** The parsers of vLLM 0.33 whose formats nobody has built here, so that whoever names one hears why it is not there. */
public final class UnbuiltParsers {
    private static final Set<String> REASONING = Set.of(
            "beam",
            "cohere_command3",
            "cohere_command4",
            "granite_thinking_parser",
            "hy_v3",
            "hy_v4",
            "inkling",
            "k2_horizon",
            "kimi_k3",
            "minicpmv",
            "muse",
            "muse_glimmer",
            "musespark1x",
            "plamo3");
    private static final Set<String> TOOLS = Set.of(
            "apertus",
            "beam",
            "cohere_command3",
            "cohere_command4",
            "dots",
            "functiongemma",
            "gigachat3",
            "hy_v3",
            "hy_v4",
            "inkling",
            "k2_horizon",
            "kimi_k3",
            "lfm2",
            "minicpm5",
            "minimax_m3",
            "muse",
            "muse_glimmer",
            "musespark1x",
            "plamo3",
            "poolside_v1");

    /** Their names by kind, as the flags of vLLM have them. */
    static final Map<PluginKind, Set<String>> NAMES =
            Map.of(PluginKind.REASONING_PARSER, REASONING, PluginKind.TOOL_PARSER, TOOLS);

    private UnbuiltParsers() {}

    /**
     * What to do about a name that nothing has.
     *
     * @param kind the kind of plugin that was looked for
     * @param name the name
     * @param known the names that there are
     */
    public static String hint(PluginKind kind, String name, Set<String> known) {
        boolean unbuilt = NAMES.entrySet().stream()
                .anyMatch(names -> (kind == PluginKind.PARSER || kind == names.getKey())
                        && names.getValue().contains(name));
        return unbuilt
                ? "vLLM has a parser of that name, but its format is not built in; describe it under parsers in the"
                        + " configuration, or put a plugin that brings it into the plugins folder"
                : Nearest.hint(name, known);
    }
}
