package io.glyphgate.toolkit;

import io.glyphgate.spi.ParseContext;
import io.glyphgate.spi.ReasoningParser;
import io.glyphgate.spi.ReasoningParserProvider;
import java.util.Map;
import java.util.Set;

/** Provides the reasoning parser that a description describes. A family extends it with its name and its description. */
public class FormatReasoningParserProvider implements ReasoningParserProvider {
    private final String name;
    private final Set<String> aliases;
    private final ReasoningDescription format;

    /**
     * Makes a provider without other names.
     *
     * @param name the parser's name
     * @param format what the parser reads
     */
    public FormatReasoningParserProvider(String name, ReasoningDescription format) {
        this(name, Set.of(), format);
    }

    /**
     * Makes a provider.
     *
     * @param name the parser's name
     * @param aliases other names for it
     * @param format what the parser reads
     */
    public FormatReasoningParserProvider(String name, Set<String> aliases, ReasoningDescription format) {
        this.name = name;
        this.aliases = Set.copyOf(aliases);
        this.format = format;
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
    public Set<String> markers() {
        return format.markers();
    }

    @Override
    public final boolean showsMarkers() {
        return format.showsMarkers();
    }

    @Override
    public ReasoningParser create(ParseContext context) {
        return format.parser(context);
    }

    @Override
    public final Map<String, Object> description() {
        return switch (format) {
            case ReasoningFormat delimited -> Map.of("reasoning", Written.of(delimited));
            case OpenedReasoningFormat opened -> Map.of("opened-reasoning", Written.of(opened));
        };
    }
}
