package io.glyphgate.toolkit;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The literals of one state as a trie. Immutable; made once per description and shared by all choices. */
final class Literals {
    static final int ROOT = 0;
    static final int NONE = -1;

    /** No literals: of a state that a family does not have. */
    static final Literals EMPTY = of(List.of(), false);

    private final char[] characters;
    private final int[] children;
    private final int[] siblings;
    private final boolean[] spaces;
    private final @Nullable Mark[] marks;
    private final Map<Mark, Literals> guards = new HashMap<>();

    private Literals(List<Node> nodes) {
        int count = nodes.size();
        characters = new char[count];
        children = new int[count];
        siblings = new int[count];
        spaces = new boolean[count];
        marks = new Mark[count];
        Arrays.fill(children, NONE);
        Arrays.fill(siblings, NONE);
        for (int i = 0; i < count; i++) {
            Node node = nodes.get(i);
            characters[i] = node.character;
            spaces[i] = node.spaces;
            marks[i] = node.mark;
            if (node.parent != NONE) {
                siblings[i] = children[node.parent];
                children[node.parent] = i;
            }
            if (node.mark != null && !node.mark.followedBy().isEmpty()) {
                guards.put(node.mark, of(marksOf(node.mark), node.anySpaces));
            }
        }
    }

    /**
     * Builds the trie.
     *
     * @param marks the literals, all different
     * @param spaced whether spaces may stand between a word and a sign, or two signs, of a literal
     */
    static Literals of(List<Mark> marks, boolean spaced) {
        List<Node> nodes = new ArrayList<>();
        nodes.add(new Node(NONE, '\0', false, spaced));
        for (Mark mark : marks) {
            String text = mark.text();
            int node = ROOT;
            for (int i = 0; i < text.length(); i++) {
                boolean seam = spaced && i + 1 < text.length() && !(word(text.charAt(i)) && word(text.charAt(i + 1)));
                node = child(nodes, node, text.charAt(i), seam, spaced);
            }
            Node last = nodes.get(node);
            if (last.mark != null) {
                throw new AmbiguousMarkerException(last.mark, mark);
            }
            last.mark = mark;
        }
        return new Literals(nodes);
    }

    private static List<Mark> marksOf(Mark mark) {
        return mark.followedBy().stream()
                .map(text -> Mark.of(text, mark.role()))
                .toList();
    }

    private static int child(List<Node> nodes, int parent, char character, boolean seam, boolean spaced) {
        for (int i = parent + 1; i < nodes.size(); i++) {
            if (nodes.get(i).parent == parent && nodes.get(i).character == character) {
                nodes.get(i).spaces |= seam;
                return i;
            }
        }
        nodes.add(new Node(parent, character, seam, spaced));
        return nodes.size() - 1;
    }

    private static boolean word(char c) {
        return Character.isLetterOrDigit(c) || c == '_';
    }

    /** The node that a character leads to, or {@link #NONE}. */
    int step(int node, char c) {
        for (int child = children[node]; child != NONE; child = siblings[child]) {
            if (characters[child] == c) {
                return child;
            }
        }
        return spaces[node] && (c == ' ' || c == '\t') ? node : NONE;
    }

    /** Whether a literal may start with a character. */
    boolean startWith(char c) {
        return step(ROOT, c) != NONE;
    }

    /** Whether no literal goes on after a node. */
    boolean leaf(int node) {
        return children[node] == NONE;
    }

    /** The literal that ends at a node. */
    @Nullable
    Mark mark(int node) {
        return marks[node];
    }

    /** What must follow a literal; null if it counts alone. */
    @Nullable
    Literals guard(Mark mark) {
        return guards.get(mark);
    }

    private static final class Node {
        private final int parent;
        private final char character;
        private final boolean anySpaces;
        private boolean spaces;
        private @Nullable Mark mark;

        private Node(int parent, char character, boolean spaces, boolean anySpaces) {
            this.parent = parent;
            this.character = character;
            this.spaces = spaces;
            this.anySpaces = anySpaces;
        }
    }
}
