package io.glyphgate.toolkit;

import io.glyphgate.spi.CombinedParser;
import io.glyphgate.spi.CombinedParserProvider;
import io.glyphgate.spi.ParseContext;
import java.util.Map;
import java.util.Set;

/** Provides the combined parser that a description describes. A family extends it with its name and its description. */
public class FormatCombinedParserProvider implements CombinedParserProvider {
    private final String name;
    private final Set<String> aliases;
    private final ChannelFormat format;
    private final ChannelFormat.Compiled compiled;

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
    public final CombinedParser create(ParseContext context) {
        return compiled.parser(context);
    }

    @Override
    public final Map<String, Object> description() {
        return Map.of("messages", Written.of(format));
    }
}
