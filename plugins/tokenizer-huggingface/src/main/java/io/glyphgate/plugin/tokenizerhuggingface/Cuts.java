package io.glyphgate.plugin.tokenizerhuggingface;

import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Where a text can be cut so that its parts give the same tokens as the whole: before added tokens. The tokenizers library takes
 * these out of a text first, the longest one at the first place where there is one, and what lies between them is tokenized piece by piece.
 */
final class Cuts {
    private final Node root = new Node();
    private final BitSet firstCharacters = new BitSet();
    private final BitSet ids = new BitSet();

    private Cuts() {}

    /** A beginning of tokens. */
    private static final class Node {
        private final Map<Character, Node> next = new HashMap<>();
        private boolean token;
        private boolean cut;
    }

    /**
     * The cuts of a tokenizer.
     *
     * @param tokens its added tokens
     * @param ids the ID of one by its text; negative if it has none
     */
    static Cuts of(List<AddedToken> tokens, ToIntFunction<String> ids) {
        Cuts cuts = new Cuts();
        List<AddedToken> first = tokens.stream()
                .filter(token -> !token.normalized() && !token.content().isEmpty())
                .toList();
        if (first.stream().noneMatch(AddedToken::singleWord)) { // whether one of these counts depends on what stands before it
            first.forEach(token -> cuts.add(token, ids.applyAsInt(token.content())));
        }
        return cuts;
    }

    private void add(AddedToken token, int id) {
        firstCharacters.set(token.content().charAt(0));
        Node node = root;
        for (int i = 0; i < token.content().length(); i++) {
            node = node.next.computeIfAbsent(token.content().charAt(i), character -> new Node());
        }
        node.token = true;
        if (id >= 0 && !token.stripsLeft()) {
            node.cut = true;
            ids.set(id);
        }
    }

    /** Where a text can be cut, from the first place to the last: before each token that can be cut at, at its start, too. */
    int[] of(String text) {
        IntStream.Builder found = IntStream.builder();
        int at = 0;
        while (at < text.length()) {
            int end = -1;
            if (firstCharacters.get(text.charAt(at))) {
                boolean cut = false;
                @Nullable Node node = root;
                for (int i = at; i < text.length(); i++) {
                    node = node.next.get(text.charAt(i));
                    if (node == null) {
                        break;
                    }
                    if (node.token) {
                        end = i + 1;
                        cut = node.cut;
                    }
                }
                if (cut) {
                    found.add(at);
                }
            }
            at = Math.max(end, at + 1);
        }
        return found.build().toArray();
    }

    /** Whether a token is one that is cut at. */
    boolean at(int tokenId) {
        return ids.get(tokenId);
    }
}
