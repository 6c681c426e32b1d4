package io.glyphgate.plugin.tokenizerhuggingface;

/**
 * Text of a vocabulary whose tokens are bytes. What is not valid UTF-8 becomes U+FFFD as {@link Utf8#takeLossy} says,
 * and text waits while its end could still become another character.
 */
final class ByteLevelDetokenizer extends HoldingDetokenizer {
    /** Whether a character may begin in one token and end in the next. */
    private final boolean acrossTokens;

    private final Utf8 utf8 = new Utf8();
    /** Whether the first held character took the place of one that the window before the output had shown already. */
    private boolean dropsFirst;

    ByteLevelDetokenizer(Vocabulary vocabulary, ShownTokens shown, boolean acrossTokens) {
        super(vocabulary, shown);
        this.acrossTokens = acrossTokens;
    }

    /**
     * Takes the window before the output as vLLM's slow path does: its text counts as given out as it looks by itself.
     */
    void primeWindow(int[] window) {
        addAll(window, 0);
        held.setLength(0);
        dropsFirst = utf8.partial();
    }

    @Override
    public void next(int tokenId, StringBuilder out) {
        int kind = vocabulary.kind(tokenId);
        if (shown.hides(tokenId, kind)) {
            return;
        }
        if (Vocabulary.part(kind) == Vocabulary.WHOLE && held.isEmpty() && !utf8.partial()) {
            vocabulary.append(tokenId, out);
            return;
        }
        add(tokenId, kind);
        if (settled()) {
            int from = dropsFirst ? Character.charCount(held.codePointAt(0)) : 0;
            if (from < held.length()) {
                out.append(held, from, held.length());
                given();
            }
        }
    }

    /** The text of all the tokens. The detokenizer is used up. */
    String whole(int[] tokenIds) {
        addAll(tokenIds, 0);
        utf8.end(held);
        return held.toString();
    }

    @Override
    void add(int tokenId, int kind) {
        int end = vocabulary.end(tokenId);
        int at = vocabulary.start(tokenId);
        if (Vocabulary.part(kind) == Vocabulary.FRAGMENT) {
            while (at < end) {
                utf8.takeLossy(vocabulary.at(at++), held);
            }
            if (!acrossTokens) {
                utf8.end(held);
            }
        } else if (at < end) {
            utf8.end(held);
            vocabulary.append(tokenId, held);
        }
    }

    @Override
    boolean settled() {
        return !held.isEmpty() && !utf8.partial() && !endsInReplacement();
    }

    @Override
    void given() {
        held.setLength(0);
        dropsFirst = false;
    }

    @Override
    void restart() {
        held.setLength(0);
        utf8.reset();
    }
}
