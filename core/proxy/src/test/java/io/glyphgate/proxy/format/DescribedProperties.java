package io.glyphgate.proxy.format;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.TextNode;
import io.glyphgate.proxy.config.ConfigFile;
import io.glyphgate.proxy.config.ConfigReader;
import io.glyphgate.proxy.config.ExampleConfigs;
import io.glyphgate.proxy.config.ParserText;
import io.glyphgate.proxy.plugin.Registry;
import io.glyphgate.spi.ChoiceParser;
import io.glyphgate.spi.CombinedParserProvider;
import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.ParseContext;
import io.glyphgate.spi.ParserProvider;
import io.glyphgate.spi.ReasoningParserProvider;
import io.glyphgate.spi.ToolOpener;
import io.glyphgate.spi.ToolParserProvider;
import io.glyphgate.testkit.Cuts;
import io.glyphgate.testkit.GarbledOutputs;
import io.glyphgate.testkit.ParserLaws;
import io.glyphgate.testkit.Recorder;
import io.glyphgate.testkit.TestContext;
import io.glyphgate.toolkit.Arguments;
import io.glyphgate.toolkit.CallConstraint;
import io.glyphgate.toolkit.CallFormat;
import io.glyphgate.toolkit.CallKind;
import io.glyphgate.toolkit.CallName;
import io.glyphgate.toolkit.ChannelFormat;
import io.glyphgate.toolkit.FormatCombinedParserProvider;
import io.glyphgate.toolkit.FormatReasoningParserProvider;
import io.glyphgate.toolkit.FormatToolParserProvider;
import io.glyphgate.toolkit.OpenedReasoningFormat;
import io.glyphgate.toolkit.ReasoningFormat;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class DescribedProperties {
    private static final String PIECES = "<tool_call> </tool_call> <tool_ {\"name\":\"f\",\"arguments\":{\"a\":1}} {\"name\":\"f\" , } { "
            + "<function=f> <function= </function> <parameter=s> <parameter=i> </parameter> 5 text ~ \n <think> </think> "
            + "<|tool_calls_section_begin|> <|tool_call_begin|> functions.f:0 f:1 <|tool_call_argument_begin|> <|tool_call_end|> "
            + "<|tool_calls_section_end|> Here~is~my~thought~process: Here~is~my~response: Here's 🚢 \"";

    private static final Registry BUILT_IN = Registry.of(DescribedProperties.class.getClassLoader());
    private static final Map<String, List<String>> TWINS = Map.of(
            "json-in-tags", List.of("qwen3", "hermes"),
            "tags", List.of("qwen3_coder"),
            "headers", List.of("kimi_k2", "kimi_k2"),
            "phrases", List.of("granite"));
    private static final List<ParserProvider> EXAMPLES = DescribedParsers.of(
            ConfigReader.readParsers(ExampleConfigs.root().resolve("config/examples/parsers.yaml"), Map.of()));

    /** A value of any form that a component of a description has. All text in it is different, and hard to write. */
    private static final class AnyDescription {
        private static final List<String> HARD = List.of("\n", "\"", "'", "\\", ": ", "#", " ", "｜", "🚢", "[", "{", "no", "%");
        private final Random random;
        private int markers;

        private AnyDescription(long seed) {
            random = new Random(seed);
        }

        /** A record, its constructor's own checks kept. */
        <R extends Record> R of(Class<R> type) {
            RecordComponent[] components = type.getRecordComponents();
            Object[] values = new Object[components.length];
            for (int i = 0; i < values.length; i++) {
                values[i] = value(components[i].getGenericType(), components[i].getName());
            }
            if (type == CallConstraint.class) {
                Arrays.setAll(values, i -> values[i] instanceof String text ? template(text) : values[i]);
            }
            if (type == CallKind.class) {
                nameOnce(values);
            }
            if (type == CallFormat.class) {
                oneAnywhere(values);
            }
            try {
                return type.getDeclaredConstructor(
                                Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new))
                        .newInstance(values);
            } catch (ReflectiveOperationException e) {
                throw new LinkageError(type.getSimpleName() + " of " + Arrays.toString(values), e);
            }
        }

        /** A template is JSON. */
        private static String template(String text) {
            return "{\"type\": \"const_string\", \"value\": " + TextNode.valueOf(text) + "}";
        }

        /** Either the arguments give the name of a call, or what stands behind it ends it. */
        private void nameOnce(Object[] values) {
            for (int i = 0; i < values.length; i++) {
                boolean named = Arrays.stream(values).anyMatch(value -> value instanceof Arguments given && given.named());
                if (values[i] instanceof CallName name) {
                    values[i] = new CallName(named ? List.of() : name.ends(), name.stops(), name.idMark(), name.names());
                }
            }
        }

        /** Not all kinds of calls may open only first. */
        private void oneAnywhere(Object[] values) {
            for (int i = 0; i < values.length; i++) {
                if (values[i] instanceof List<?> list && list.getFirst() instanceof CallKind kind) {
                    List<Object> kinds = new ArrayList<>(list);
                    kinds.set(0, new CallKind(
                            kind.opener(), kind.name(), kind.arguments(), kind.whiteSpace(), kind.closed(), false));
                    values[i] = kinds;
                }
            }
        }

        private String marker() {
            return HARD.get(random.nextInt(HARD.size())) + markers++ + HARD.get(random.nextInt(HARD.size()));
        }

        private Object value(Type type, String name) {
            if (type == String.class) {
                return marker();
            }
            if (type == boolean.class) {
                return random.nextBoolean();
            }
            if (type instanceof ParameterizedType generic) {
                Type inner = generic.getActualTypeArguments()[0];
                if (generic.getRawType() == Optional.class) {
                    return random.nextBoolean() ? Optional.of(value(inner, name)) : Optional.empty();
                }
                if (generic.getRawType() == Map.class) {
                    return Map.of("a" + random.nextInt(), random.nextBoolean(), "b", random.nextInt(), "c", marker());
                }
                List<Object> items = new ArrayList<>();
                for (int i = 1 + random.nextInt(2); i > 0; i--) {
                    items.add(value(inner, name));
                }
                return generic.getRawType() == Set.class ? new LinkedHashSet<>(items) : items;
            }
            Class<?> plain = (Class<?>) type;
            if (plain.isEnum()) {
                return plain.getEnumConstants()[random.nextInt(plain.getEnumConstants().length)];
            }
            if (plain.isSealed()) {
                Class<?>[] kinds = plain.getPermittedSubclasses();
                return of(kinds[random.nextInt(kinds.length)].asSubclass(Record.class));
            }
            return of(plain.asSubclass(Record.class));
        }
    }

    @Property(tries = 500)
    void everyDescriptionComesBackFromItsText(@ForAll long seed) {
        AnyDescription any = new AnyDescription(seed);
        comesBack(new FormatReasoningParserProvider("acme", any.of(ReasoningFormat.class)));
        comesBack(new FormatReasoningParserProvider("acme", any.of(OpenedReasoningFormat.class)));
        comesBack(new FormatToolParserProvider("acme", any.of(CallFormat.class)));
        comesBack(new FormatCombinedParserProvider("acme", Set.of(), any.of(ChannelFormat.class)));
    }

    private static void comesBack(ParserProvider parser) {
        String text = ParserText.write("acme", ParserText.read("acme", parser.description()));
        List<ParserProvider> back = DescribedParsers.of(read(text));
        assertThat(back).as(text).hasSize(1);
        assertThat(back.getFirst().description()).as(text).isEqualTo(parser.description());
    }

    private static ConfigFile read(String text) {
        try {
            Path file = Files.createTempFile("parsers", ".yaml");
            try {
                return ConfigReader.readParsers(Files.writeString(file, text), Map.of());
            } finally {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Whatever an operator describes, its parser keeps to what every parser must. */
    @Property(tries = 300)
    void everyDescriptionMakesAParserThatKeepsTheLaws(@ForAll long seed) {
        AnyDescription any = new AnyDescription(seed);
        CallFormat calls = any.of(CallFormat.class);
        keepsTheLaws(new FormatReasoningParserProvider("acme", any.of(ReasoningFormat.class)), "", seed);
        keepsTheLaws(new FormatReasoningParserProvider("acme", any.of(OpenedReasoningFormat.class)), "", seed);
        keepsTheLaws(new FormatToolParserProvider("acme", calls), written(calls), seed);
        keepsTheLaws(new FormatCombinedParserProvider("acme", Set.of(), any.of(ChannelFormat.class)), "", seed);
    }

    private static void keepsTheLaws(ParserProvider parser, String good, long seed) {
        Random random = new Random(seed);
        Set<String> markers = texts(parser.description());
        List<String> shuffled = new ArrayList<>(markers);
        shuffled.addAll(List.of("f", " words ", "{", "}", "=", "\n"));
        Collections.shuffle(shuffled, random);
        GarbledOutputs outputs = new GarbledOutputs(Set.of(good + String.join("", shuffled)), markers);
        for (int i = 0; i < 5; i++) {
            String output = outputs.next(random);
            for (FinishReason reason : List.of(FinishReason.STOP, FinishReason.LENGTH)) {
                ParserLaws.check(() -> create(parser), output, reason, seed);
            }
        }
    }

    /** One call of each kind, as the description has them. */
    private static String written(CallFormat format) {
        StringBuilder text = new StringBuilder();
        for (CallKind kind : format.calls()) {
            text.append(String.join("", format.groups()))
                    .append(kind.opener().marker())
                    .append(first(kind.opener().followedBy()))
                    .append(kind.arguments().named() ? "" : "f" + first(kind.name().ends()))
                    .append(written(kind.arguments()))
                    .append(first(format.callEnds()))
                    .append(String.join("", format.groupEnds()))
                    .append(" words ");
        }
        return text.toString();
    }

    private static String written(Arguments arguments) {
        return switch (arguments) {
            case Arguments.Tagged tags -> tags.keyOpen() + "s" + tags.keyClose() + tags.valueOpen() + "v" + tags.valueClose();
            case Arguments.JsonValue ignored -> "{\"s\": \"v\"}";
            case Arguments.JsonCall call -> written(call);
            case Arguments.JsonCalls calls -> "[" + written(calls.call()) + "]";
            case Arguments.PythonCalls calls -> "f(s=1)" + calls.separator() + "f(s=[2])";
            case Arguments.KeyValues values -> "s:" + values.quote() + "v" + values.quote() + ",i:1}";
        };
    }

    private static String written(Arguments.JsonCall call) {
        return new ObjectMapper()
                .createObjectNode()
                .put(call.nameKey(), "f")
                .put(call.argumentKeys().getFirst(), 1)
                .toString();
    }

    private static String first(List<String> texts) {
        return texts.isEmpty() ? "" : texts.getFirst();
    }

    /** All text of a description: its markers, and little else. */
    private static Set<String> texts(Object description) {
        Set<String> texts = new TreeSet<>();
        switch (description) {
            case String text -> texts.add(text);
            case Map<?, ?> map -> map.values().forEach(value -> texts.addAll(texts(value)));
            case Collection<?> list -> list.forEach(value -> texts.addAll(texts(value)));
            default -> {}
        }
        texts.remove("");
        return texts;
    }

    @Provide
    Arbitrary<String> outputs() {
        return Arbitraries.of(PIECES.split(" ")).list().ofMaxSize(30).map(pieces -> String.join("", pieces)
                .replace('~', ' '));
    }

    @Property
    void theExamplesAnswerAsTheParsersOfThePluginsDo(@ForAll("outputs") String output, @ForAll List<Byte> cuts) {
        for (ParserProvider example : EXAMPLES) {
            ParserProvider twin = TWINS.getOrDefault(example.name(), List.of()).stream()
                    .flatMap(name -> BUILT_IN.find(kind(example), name).stream())
                    .findFirst()
                    .orElseThrow();
            Recorder expected = run(twin, output, cuts);
            Recorder actual = run(example, output, cuts);
            assertThat(actual.parsed()).as(example.name()).isEqualTo(expected.parsed());
            assertThat(actual.anomalies()).as(example.name()).isEqualTo(expected.anomalies());
            assertThat(actual.consumed()).as(example.name()).isEqualTo(output);
        }
    }

    private static Class<? extends ParserProvider> kind(ParserProvider parser) {
        return parser instanceof ToolParserProvider ? ToolParserProvider.class : ReasoningParserProvider.class;
    }

    private static ChoiceParser create(ParserProvider provider) {
        ParseContext context = TestContext.builder()
                .tool("f", Map.of("properties", Map.of("s", Map.of("type", "string"), "i", Map.of("type", "integer"))))
                .toolOpeners(List.of(new ToolOpener("<tool_call>", List.of("{"))))
                .build();
        return switch (provider) {
            case ToolParserProvider tools -> tools.create(context);
            case ReasoningParserProvider reasoning -> reasoning.create(context);
            case CombinedParserProvider both -> both.create(context);
            default -> throw new IllegalArgumentException(provider.name() + " is a parser of no known kind");
        };
    }

    private static Recorder run(ParserProvider provider, String output, List<Byte> cuts) {
        return ParserLaws.run(create(provider), Cuts.pieces(output, cuts), FinishReason.STOP);
    }
}
