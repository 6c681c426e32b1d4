package io.glyphgate.proxy.format;

import io.glyphgate.proxy.config.ConfigException;
import io.glyphgate.proxy.config.ConfigFile;
import io.glyphgate.proxy.config.KeyPath;
import io.glyphgate.proxy.config.ParserConfig;
import io.glyphgate.proxy.config.ParserConfig.Arguments;
import io.glyphgate.proxy.config.ParserConfig.Call;
import io.glyphgate.proxy.config.ParserConfig.Tools;
import io.glyphgate.proxy.config.Problem;
import io.glyphgate.spi.ParserProvider;
import io.glyphgate.toolkit.AmbiguousMarkerException;
import io.glyphgate.toolkit.FormatCombinedParserProvider;
import io.glyphgate.toolkit.FormatReasoningParserProvider;
import io.glyphgate.toolkit.FormatToolParserProvider;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/** Makes the parsers that a configuration describes, and says at which line a description makes none. */
public final class DescribedParsers {
    private final ConfigFile file;
    private final List<ParserProvider> providers = new ArrayList<>();
    private final List<Problem> problems = new ArrayList<>();

    private DescribedParsers(ConfigFile file) {
        this.file = file;
    }

    /**
     * Makes the parsers of all entries.
     *
     * @param file the configuration
     * @return for each entry a reasoning parser, a tool parser, or both, or a combined parser, under the entry's name
     * @throws ConfigException if a description makes no parser; the message has a line for each
     */
    public static List<ParserProvider> of(ConfigFile file) {
        DescribedParsers parsers = new DescribedParsers(file);
        file.config().parsers().forEach(parsers::entry);
        if (!parsers.problems.isEmpty()) {
            throw new ConfigException(parsers.problems);
        }
        return parsers.providers;
    }

    private void entry(String name, ParserConfig parser) {
        KeyPath path = KeyPath.of("parsers", name);
        parser.reasoning().ifPresent(reasoning -> add(path.child("reasoning"), reasoning, described ->
                new FormatReasoningParserProvider(name, Formats.reasoning(described))));
        parser.openedReasoning().ifPresent(reasoning -> add(path.child("opened-reasoning"), reasoning, described ->
                new FormatReasoningParserProvider(name, Formats.reasoning(described))));
        parser.tools().ifPresent(tools -> {
            int before = problems.size();
            checkTools(path.child("tools"), tools);
            if (problems.size() == before) {
                add(path.child("tools"), tools, described ->
                        new FormatToolParserProvider(name, Formats.tools(described)));
            }
        });
        parser.messages().ifPresent(messages -> add(path.child("messages"), messages, described ->
                new FormatCombinedParserProvider(name, Set.of(), Formats.messages(described))));
    }

    /** What the toolkit refuses too, in the words of the keys. */
    private void checkTools(KeyPath path, Tools tools) {
        if (tools.calls().isEmpty()) {
            wrong(path.child("calls"), "there is no marker that opens a call; give at least one");
        }
        for (int i = 0; i < tools.calls().size(); i++) {
            checkCall(path.child("calls").item(i), tools.calls().get(i));
        }
        if (tools.thoughtOpen().isPresent() && tools.thoughtClose().isEmpty()) {
            wrong(path.child("thought-open"), "thought-open needs thought-close; give both, or only what closes");
        }
    }

    private void checkCall(KeyPath path, Call call) {
        KeyPath arguments = path.child("arguments");
        List<String> styles = Arrays.stream(Arguments.class.getRecordComponents())
                .map(component -> KeyPath.keyOf(component.getName()))
                .filter(style -> file.gives(arguments.child(style)))
                .toList();
        if (styles.size() > 1) {
            wrong(arguments, String.join(" and ", styles)
                    + " are given; arguments are written in one way, so keep one");
            return;
        }
        String style = styles.isEmpty() ? "json-call" : styles.getFirst();
        boolean named = Formats.arguments(call.arguments()).named();
        KeyPath ends = path.child("name").child("ends");
        if (named && !call.name().ends().isEmpty()) {
            wrong(ends, "means nothing where the arguments are a " + style + ", which holds the name; "
                    + "remove it, or say how else the arguments are written");
        }
        if (!named && call.name().ends().isEmpty()) {
            wrong(ends, "missing; where the arguments are " + style + ", say what stands behind the name of a call");
        }
    }

    private <D extends Record> void add(KeyPath path, D described, Function<D, ParserProvider> maker) {
        try {
            providers.add(maker.apply(described));
        } catch (AmbiguousMarkerException e) {
            List<KeyPath> keys = Markers.paths(described, path, e.marker());
            String others = String.join(", ", keys.stream().limit(keys.size() - 1L).map(KeyPath::text).toList());
            wrong(keys.getLast(), "the marker \"" + e.marker() + "\" is that of " + others
                    + " too, and nothing tells them apart where both can stand; remove one, or make it longer");
        } catch (IllegalArgumentException e) {
            wrong(path, String.valueOf(e.getMessage()));
        }
    }

    private void wrong(KeyPath path, String text) {
        problems.add(file.problem(path, text));
    }
}
