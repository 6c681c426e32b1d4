package io.glyphgate.toolkit;

import io.glyphgate.spi.CombinedParser;
import io.glyphgate.spi.CombinedParserProvider;
import io.glyphgate.spi.ParseContext;
import io.glyphgate.spi.Tool;
import io.glyphgate.spi.ToolChoice;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Provides the combined parser that a description describes. A family extends it with its name and its description. */
public class FormatCombinedParserProvider implements CombinedParserProvider {
    private final String name;
    private final Set<String> aliases;
    private final ChannelFormat format;
    private final ChannelFormat.Compiled compiled;
    private final Optional<CallConstraint.Compiled> constraint;

    /**
     * Makes a provider.
     *
     * @param name the parser's name
     * @param aliases other names for it
     * @param format what the parser reads
     * @throws AmbiguousMarkerException if one marker of the description would mean two things in the same place
     */
    public FormatCombinedParserProvider(String name, Set<String> aliases, ChannelFormat format) {
        this.name = name;
        this.aliases = Set.copyOf(aliases);
        this.format = format;
        this.compiled = format.compile();
        this.constraint = format.constraint().map(CallConstraint::compile);
    }

    @Override
    public final String name() {
        return name;
    }

    @Override
    public final Set<String> aliases() {
        return aliases;
    }

    @Override
    public final Set<String> markers() {
        return format.markers();
    }

    @Override
    public final Optional<Map<String, Object>> constraint(List<Tool> tools, ToolChoice choice, boolean parallel) {
        return constraint.flatMap(described -> described.calls(tools, choice, parallel));
    }

    @Override
    public final Optional<Map<String, Object>> contentConstraint(Map<String, Object> format) {
        return constraint.flatMap(described -> described.content(format));
    }

    @Override
    public final CombinedParser create(ParseContext context) {
        return compiled.parser(context);
    }

    @Override
    public final Map<String, Object> description() {
        return Map.of("messages", Written.of(format));
    }
}
