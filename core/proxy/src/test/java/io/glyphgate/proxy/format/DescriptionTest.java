package io.glyphgate.proxy.format;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import io.glyphgate.proxy.config.ConfigReader;
import io.glyphgate.proxy.config.ParserConfig;
import io.glyphgate.proxy.config.ParserText;
import io.glyphgate.proxy.plugin.Registry;
import io.glyphgate.spi.CombinedParserProvider;
import io.glyphgate.spi.ParserProvider;
import io.glyphgate.spi.ReasoningParserProvider;
import io.glyphgate.spi.ToolOpener;
import io.glyphgate.spi.ToolParserProvider;
import io.glyphgate.testkit.TestContext;
import io.glyphgate.toolkit.Arguments;
import io.glyphgate.toolkit.CallFormat;
import io.glyphgate.toolkit.CallKind;
import io.glyphgate.toolkit.CallName;
import io.glyphgate.toolkit.ChannelFormat;
import io.glyphgate.toolkit.OpenedReasoningFormat;
import io.glyphgate.toolkit.ReasoningFormat;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever the toolkit can describe can be written in the configuration, each parser of our plugins first of all. */
class DescriptionTest {
    private static final List<Class<? extends ParserProvider>> KINDS =
            List.of(ReasoningParserProvider.class, ToolParserProvider.class, CombinedParserProvider.class);

    @TempDir
    private Path folder;

    /** The parsers of all plugins, by kind. */
    static Stream<ParserProvider> builtIn() {
        Registry registry = Registry.of(DescriptionTest.class.getClassLoader());
        return KINDS.stream()
                .flatMap(kind -> registry.names(kind).stream()
                        .flatMap(name -> registry.find(kind, name).stream())
                        .distinct());
    }

    @ParameterizedTest
    @MethodSource("builtIn")
    void everyParserOfThePluginsComesBackFromItsText(ParserProvider parser) throws IOException {
        assertThat(parser.description()).as("the description of " + parser.name()).isNotEmpty();
        String text = ParserText.write(parser.name(), ParserText.read(parser.name(), parser.description()));

        List<ParserProvider> described = read(text);

        assertThat(described).hasSize(1);
        ParserProvider back = described.getFirst();
        assertThat(back.description()).isEqualTo(parser.description());
        assertThat(back.markers()).isEqualTo(parser.markers());
        if (parser instanceof ToolParserProvider tools && back instanceof ToolParserProvider backTools) {
            TestContext context = TestContext.builder()
                    .tool("get_weather", Map.of())
                    .tool("add", Map.of())
                    .build();
            assertThat(backTools.openers()).isEqualTo(tools.openers());
            assertThat(backTools.openers(context)).isEqualTo(tools.openers(context));
        }
    }

    @Test
    void aTextHoldsNoKeyThatSaysNoMoreThanItsDefault() {
        ParserConfig parser = ParserText.read("acme", Map.of("reasoning", Map.of("opens-once", true, "trimmed", false)));

        assertThat(ParserText.write("acme", parser)).isEqualTo("parsers:\n  acme:\n    reasoning:\n      opens-once: true\n");
        assertThat(ParserText.write("acme", ParserText.read("acme", Map.of("reasoning", Map.of()))))
                .isEqualTo("parsers:\n  acme:\n    reasoning: {}\n");
    }

    @Test
    void everyComponentOfTheToolkitHasItsKey() {
        Map<Class<?>, Class<?>> keys = Map.ofEntries(
                entry(ReasoningFormat.class, ParserConfig.Reasoning.class),
                entry(OpenedReasoningFormat.class, ParserConfig.OpenedReasoning.class),
                entry(CallFormat.class, ParserConfig.Tools.class),
                entry(CallKind.class, ParserConfig.Call.class),
                entry(CallName.class, ParserConfig.Name.class),
                entry(ChannelFormat.class, ParserConfig.Messages.class),
                entry(ToolOpener.class, ParserConfig.Opener.class),
                entry(Arguments.JsonCall.class, ParserConfig.JsonCall.class),
                entry(Arguments.Tagged.class, ParserConfig.Tagged.class),
                entry(Arguments.JsonCalls.class, ParserConfig.JsonCalls.class),
                entry(Arguments.PythonCalls.class, ParserConfig.PythonCalls.class),
                entry(Arguments.KeyValues.class, ParserConfig.KeyValues.class));
        keys.forEach((description, block) ->
                assertThat(components(block)).as("the keys of %s", description).isEqualTo(components(description)));
        Map<Class<?>, Class<?>> choices = Map.of(
                CallFormat.Names.class, ParserConfig.Names.class,
                CallFormat.WhiteSpace.class, ParserConfig.WhiteSpace.class,
                CallFormat.Ids.class, ParserConfig.Ids.class,
                CallFormat.Demanded.class, ParserConfig.Demanded.class,
                Arguments.Tagged.Space.class, ParserConfig.Space.class);
        choices.forEach((rule, choice) ->
                assertThat(constants(choice)).as("the values of %s", rule).isEqualTo(constants(rule)));
        assertThat(components(ParserConfig.Arguments.class))
                .isEqualTo(Arrays.stream(Arguments.class.getPermittedSubclasses())
                        .map(style -> style.getSimpleName().substring(0, 1).toLowerCase(Locale.ROOT)
                                + style.getSimpleName().substring(1))
                        .collect(Collectors.toCollection(TreeSet::new)));
    }

    private static Set<String> components(Class<?> record) {
        return Arrays.stream(record.getRecordComponents())
                .map(RecordComponent::getName)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static List<String> constants(Class<?> type) {
        return Arrays.stream(type.getEnumConstants()).map(Object::toString).toList();
    }

    private List<ParserProvider> read(String text) throws IOException {
        return DescribedParsers.of(
                ConfigReader.readParsers(Files.writeString(folder.resolve("parsers.yaml"), text), new TreeMap<>()));
    }
}
