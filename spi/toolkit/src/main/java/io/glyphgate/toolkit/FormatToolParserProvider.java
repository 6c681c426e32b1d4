package io.glyphgate.toolkit;

import io.glyphgate.spi.ParseContext;
import io.glyphgate.spi.Tool;
import io.glyphgate.spi.ToolChoice;
import io.glyphgate.spi.ToolOpener;
import io.glyphgate.spi.ToolParser;
import io.glyphgate.spi.ToolParserProvider;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Provides the tool parser that a description describes. A family extends it with its name and its description. */
public class FormatToolParserProvider implements ToolParserProvider {
    private final String name;
    private final Set<String> aliases;
    private final CallFormat format;
    private final CallFormat.Compiled compiled;
    private final Optional<CallConstraint.Compiled> constraint;

    /**
     * Makes a provider without other names.
     *
     * @param name the parser's name
     * @param format what the parser reads
     * @throws AmbiguousMarkerException if one marker of the description would mean two things in the same place
     */
    public FormatToolParserProvider(String name, CallFormat format) {
        this(name, Set.of(), format);
    }

    /**
     * Makes a provider.
     *
     * @param name the parser's name
     * @param aliases other names for it
     * @param format what the parser reads
     * @throws AmbiguousMarkerException if one marker of the description would mean two things in the same place
     */
    public FormatToolParserProvider(String name, Set<String> aliases, CallFormat format) {
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
    public Set<String> markers() {
        return format.markers();
    }

    @Override
    public List<ToolOpener> openers() {
        return format.openers();
    }

    @Override
    public List<ToolOpener> openers(ParseContext context) {
        return format.openers(context.tools());
    }

    @Override
    public final Optional<String> newCallId() {
        return format.newCallId();
    }

    /** In the notation of the family, where its description says how; else plain JSON where the format is read as such. */
    @Override
    public final Optional<Map<String, Object>> constraint(List<Tool> tools, ToolChoice choice, boolean parallel) {
        if (constraint.isPresent()) {
            return constraint.get().calls(tools, choice, parallel);
        }
        return switch (format.demanded()) {
            case NATIVE -> Optional.empty();
            case JSON, JSON_FROM_START -> CallConstraint.plainJson(tools, choice, parallel);
            case UNMARKED -> format.listed().flatMap(call -> CallConstraint.unmarkedJson(tools, choice, parallel, call));
        };
    }

    @Override
    public final ToolParser create(ParseContext context) {
        return compiled.parser(context);
    }

    @Override
    public final Map<String, Object> description() {
        return Map.of("tools", Written.of(format));
    }
}
