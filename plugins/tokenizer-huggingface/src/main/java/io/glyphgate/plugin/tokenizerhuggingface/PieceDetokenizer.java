package io.glyphgate.plugin.tokenizerhuggingface;

import io.glyphgate.plugin.tokenizerhuggingface.PieceRules.Lead;

/**
 * Text of a vocabulary whose tokens are pieces of text, with byte tokens for what no piece holds.
 *
 * <p>Byte tokens in a row are a run. A run is valid UTF-8 as a whole, or each of its bytes is a U+FFFD. This makes
 * {@code DecodeStream} forget its place when a run whose beginning was given out turns out invalid: it fails, vLLM
 * starts a new stream with the token at hand, and the run's later bytes are lost. The same happens here.
 */
final class PieceDetokenizer extends HoldingDetokenizer {
    private final PieceRules rules;

    /** Whether the text has not begun, so that {@link PieceRules#lead()} applies. */
    private boolean leading = true;

    /** How many bytes the run at the end of {@link #held} has; 0 if the last token is no byte. */
    private int runBytes;
    /** Where the run's text starts in {@link #held}. */
    private int runStart;
    /** Whether the run's bytes are invalid already. */
    private boolean runInvalid;
    /** Whether the run began in what was given out. */
    private boolean runJoins;

    private final Utf8 run = new Utf8();

    /** Whether the last token of what was given out is a byte. */
    private boolean givenRun;
    /** Whether what was given out last is nothing but one byte that the decoder strips: it left no trace then. */
    private boolean givenBlank;
    /** Whether a run that began in what was given out ended invalid. */
    private boolean lost;

    PieceDetokenizer(Vocabulary vocabulary, PieceRules rules, ShownTokens shown) {
        super(vocabulary, shown);
        this.rules = rules;
    }

    @Override
    public void next(int tokenId, StringBuilder out) {
        int kind = vocabulary.kind(tokenId);
        if (shown.hides(tokenId, kind)) {
            return;
        }
        if (Vocabulary.part(kind) == Vocabulary.WHOLE && !leading && runBytes == 0 && held.isEmpty()) {
            vocabulary.append(tokenId, out);
            givenRun = false;
            return;
        }
        add(tokenId, kind);
        if (settled() && lost) {
            restart();
            add(tokenId, kind);
        }
        if (settled()) {
            out.append(held, stripped(), held.length());
            given();
        }
    }

    /** The text of all the tokens. The detokenizer is used up. */
    String whole(int[] tokenIds) {
        addAll(tokenIds, 0);
        endRun();
        return held.isEmpty() ? "" : held.substring(stripped());
    }

    @Override
    void add(int tokenId, int kind) {
        if (Vocabulary.part(kind) == Vocabulary.BYTE) {
            addByte(vocabulary.at(vocabulary.start(tokenId)));
            return;
        }
        endRun();
        givenRun = false;
        if (leading && rules.lead() == Lead.FIRST_TOKEN) {
            held.append(rules.firstText(vocabulary.names().text(tokenId)));
            leading = false;
        } else {
            vocabulary.append(tokenId, held);
        }
    }

    private void addByte(int b) {
        if (runBytes++ == 0) {
            runStart = held.length();
            runInvalid = false;
            runJoins = givenRun && held.isEmpty();
            run.reset();
        }
        if (!runInvalid && !run.take(b, held)) {
            runInvalid = true;
            held.setLength(runStart);
        }
    }

    private void endRun() {
        if (runBytes > 0 && (runInvalid || run.partial())) {
            held.setLength(runStart);
            int bytes = runBytes;
            if (runJoins && givenBlank) {
                bytes++;
            } else if (runJoins) {
                lost = true;
            }
            for (int i = 0; i < bytes; i++) {
                held.append(Utf8.REPLACEMENT);
            }
        }
        runBytes = 0;
    }

    @Override
    boolean settled() {
        return !held.isEmpty() && !endsInReplacement() && (runBytes == 0 || (!runInvalid && !run.partial()));
    }

    /** How many characters at the start of {@link #held} the decoder strips. */
    private int stripped() {
        return leading && rules.lead() == Lead.STRIPPED && held.charAt(0) == rules.leadCharacter() ? 1 : 0;
    }

    @Override
    void given() {
        givenRun = runBytes > 0;
        givenBlank = runBytes == 1
                && held.length() == 1
                && rules.lead() == Lead.STRIPPED
                && held.charAt(0) == rules.leadCharacter();
        held.setLength(0);
        runBytes = 0;
        leading = false;
    }

    @Override
    void restart() {
        held.setLength(0);
        runBytes = 0;
        leading = true;
        givenRun = false;
        givenBlank = false;
        lost = false;
    }
}
