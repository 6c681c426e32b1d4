package io.glyphgate.proxy.config;

import java.io.StringReader;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.reader.ReaderException;

/** Reads YAML into a {@link Tree}. Values are never interpreted here, so {@code no} and {@code 1_0} are text. */
final class TreeReader {
    private final String source;
    private final List<Problem> problems;
    private final Set<Node> open = Collections.newSetFromMap(new IdentityHashMap<>());

    /**
     * A reader.
     *
     * @param source the name of the file
     * @param problems gains what is wrong
     */
    TreeReader(String source, List<Problem> problems) {
        this.source = source;
        this.problems = problems;
    }

    /** Reads a text; null, and a problem, if it is no YAML. */
    @Nullable Tree read(String yaml) {
        Place start = new Place(source, 1);
        try {
            LoaderOptions options = new LoaderOptions();
            Node root = new Yaml(new SafeConstructor(options)).compose(new StringReader(yaml));
            return root == null ? new Tree.Text("", true, start) : tree(root, KeyPath.of(), start);
        } catch (MarkedYAMLException e) {
            int line = e.getProblemMark() == null ? 1 : e.getProblemMark().getLine() + 1;
            problems.add(new Problem(
                    new Place(source, line),
                    KeyPath.of(),
                    "not YAML: " + (e.getContext() == null ? "" : e.getContext() + ", ") + e.getProblem()));
        } catch (ReaderException e) {
            int line = (int) yaml.substring(0, Math.min(e.getPosition(), yaml.length())).lines().count();
            problems.add(new Problem(
                    new Place(source, Math.max(line, 1)),
                    KeyPath.of(),
                    "not YAML: the character U+%04X is not allowed, remove it".formatted(e.getCodePoint())));
        } catch (YAMLException e) {
            problems.add(new Problem(start, KeyPath.of(), "not YAML: " + e.getMessage()));
        }
        return null;
    }

    private Tree tree(Node node, KeyPath path, Place place) {
        if (!node.getTag().startsWith(Tag.PREFIX)) {
            problems.add(new Problem(place, path, "the tag " + node.getTag() + " means nothing here, remove it"));
        }
        if (!open.add(node)) {
            problems.add(new Problem(place, path, "holds itself through an alias, write it out"));
            return new Tree.Text("", true, place);
        }
        try {
            return switch (node) {
                case MappingNode mapping -> block(mapping, path, place);
                case SequenceNode sequence -> items(sequence, path, place);
                case ScalarNode scalar -> new Tree.Text(scalar.getValue(), scalar.getTag().equals(Tag.NULL), place);
                default -> throw new IllegalStateException("YAML node of kind " + node.getNodeId());
            };
        } finally {
            open.remove(node);
        }
    }

    private Tree block(MappingNode mapping, KeyPath path, Place place) {
        Map<String, Tree> entries = new LinkedHashMap<>();
        for (NodeTuple tuple : mapping.getValue()) {
            Place line = placeOf(tuple.getKeyNode());
            if (!(tuple.getKeyNode() instanceof ScalarNode key)) {
                problems.add(new Problem(line, path, "a key must be plain text, not a list or a block"));
                continue;
            }
            if (key.getTag().equals(Tag.MERGE)) {
                problems.add(new Problem(line, path, "merging with << is not supported, write the keys out"));
                continue;
            }
            KeyPath child = path.child(key.getValue());
            Tree first = entries.get(key.getValue());
            Tree value = tree(tuple.getValueNode(), child, line);
            if (first == null) {
                entries.put(key.getValue(), value);
            } else {
                problems.add(new Problem(
                        line, child, "given twice, first on line " + first.place().line() + ": remove one"));
            }
        }
        return new Tree.Block(entries, place);
    }

    private Tree items(SequenceNode sequence, KeyPath path, Place place) {
        List<Tree> items = new ArrayList<>();
        for (Node item : sequence.getValue()) {
            items.add(tree(item, path.item(items.size()), placeOf(item)));
        }
        return new Tree.Items(items, place);
    }

    private Place placeOf(Node node) {
        return new Place(source, node.getStartMark().getLine() + 1);
    }
}
