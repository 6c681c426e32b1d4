package io.glyphgate.proxy.config;

import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.DumperOptions.FlowStyle;
import org.yaml.snakeyaml.DumperOptions.ScalarStyle;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;

/** Writes entries of {@code parsers} as an operator would: without the keys that say no more than their defaults. */
public final class ParserText {
    private ParserText() {}

    /**
     * The description of a parser, checked as if it stood in a file.
     *
     * @param name the name of the entry
     * @param description keys and values, as a plugin's parser describes itself
     * @throws ConfigException if they are not those of an entry
     */
    public static ParserConfig read(String name, Map<String, Object> description) {
        List<Problem> problems = new ArrayList<>();
        Tree tree = tree(description, new Place("the description of " + name, 0));
        ParserConfig parser = new Binder(problems, new LinkedHashMap<>()).bind(ParserConfig.class, tree);
        if (parser == null || !problems.isEmpty()) {
            throw new ConfigException(problems);
        }
        return parser;
    }

    /** A file with one entry. */
    public static String write(String name, ParserConfig parser) {
        Node entry = Optional.ofNullable(block(parser)).orElseGet(() -> mapping(List.of()));
        Node file = mapping(List.of(tuple("parsers", mapping(List.of(tuple(name, entry))))));
        DumperOptions options = new DumperOptions();
        options.setSplitLines(false);
        options.setAllowUnicode(true);
        StringWriter text = new StringWriter();
        try {
            new Yaml(options).serialize(file, text);
            text.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return text.toString();
    }

    private static Tree tree(Object value, Place place) {
        return switch (value) {
            case Map<?, ?> map -> {
                Map<String, Tree> entries = new LinkedHashMap<>();
                map.forEach((key, inner) -> entries.put(String.valueOf(key), tree(inner, place)));
                yield new Tree.Block(entries, place);
            }
            case List<?> list -> new Tree.Items(list.stream().map(item -> tree(item, place)).toList(), place);
            default -> new Tree.Text(String.valueOf(value), false, place);
        };
    }

    /** The block of a record; null if it says nothing beyond the defaults. */
    private static @Nullable Node block(Record block) {
        List<NodeTuple> tuples = new ArrayList<>();
        Node shorthand = null;
        List<Key> keys = Key.of(block.getClass());
        RecordComponent[] components = block.getClass().getRecordComponents();
        for (int i = 0; i < components.length; i++) {
            Node node = component(keys.get(i), read(components[i], block));
            if (node != null) {
                tuples.add(tuple(keys.get(i).name(), node));
                shorthand = keys.get(i).shorthand() ? node : shorthand;
            }
        }
        if (tuples.isEmpty()) {
            return null;
        }
        return tuples.size() == 1 && shorthand != null ? shorthand : mapping(tuples);
    }

    private static @Nullable Node component(Key key, Object value) {
        if (value instanceof Optional<?> optional) {
            return optional.map(present -> node(present, true)).orElse(null);
        }
        boolean byDefault = key.defaultText() != null && key.defaultText().equals(shown(value));
        return byDefault || (key.defaultText() == null && (value.equals(List.of()) || value.equals(Map.of())))
                ? null
                : node(value, false);
    }

    /** The default that a value would be, as the file would have it. */
    private static String shown(Object value) {
        return switch (value) {
            case Literal literal -> literal.text();
            case Enum<?> constant -> Key.nameOf(constant);
            case List<?> list -> String.join(", ", list.stream().map(ParserText::shown).toList());
            default -> value.toString();
        };
    }

    /**
     * A value that is written.
     *
     * @param always whether a block is written though it says nothing beyond its defaults
     */
    private static @Nullable Node node(Object value, boolean always) {
        return switch (value) {
            case Record block when !(block instanceof Literal) -> {
                Node node = block(block);
                yield node == null && always ? mapping(List.of()) : node;
            }
            case Map<?, ?> map -> {
                List<NodeTuple> tuples = new ArrayList<>();
                map.forEach((name, inner) -> tuples.add(tuple(String.valueOf(name), scalar(inner))));
                yield mapping(tuples);
            }
            case List<?> list -> {
                List<Node> items = new ArrayList<>();
                boolean plain = true;
                for (Object item : list) {
                    Node node = node(item, true);
                    plain &= node instanceof ScalarNode;
                    items.add(node);
                }
                yield new SequenceNode(Tag.SEQ, items, plain ? FlowStyle.FLOW : FlowStyle.BLOCK);
            }
            default -> scalar(value);
        };
    }

    private static Node scalar(Object value) {
        boolean quoted = value instanceof Literal || value instanceof String;
        Tag tag = value instanceof Boolean ? Tag.BOOL : value instanceof Number ? Tag.INT : Tag.STR;
        return new ScalarNode(tag, shown(value), null, null, quoted ? ScalarStyle.DOUBLE_QUOTED : ScalarStyle.PLAIN);
    }

    private static NodeTuple tuple(String key, Node value) {
        return new NodeTuple(new ScalarNode(Tag.STR, key, null, null, ScalarStyle.PLAIN), value);
    }

    private static Node mapping(List<NodeTuple> tuples) {
        return new MappingNode(Tag.MAP, tuples, FlowStyle.BLOCK);
    }

    private static Object read(RecordComponent component, Record block) {
        try {
            return component.getAccessor().invoke(block);
        } catch (IllegalAccessException | InvocationTargetException e) {
            throw new IllegalStateException("the component " + component + " cannot be read", e);
        }
    }
}
