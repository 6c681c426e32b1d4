package io.glyphgate.toolkit;

import io.glyphgate.spi.DeltaSink;
import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.ReasoningParser;
import io.glyphgate.spi.TokenDelta;

/** The output of one choice whose reasoning stays in the content. */
final class ShownReasoning implements ReasoningParser {
    private String missing;

    /**
     * A parser.
     *
     * @param missing the opening marker that the output does not hold; empty if nothing is missing
     */
    ShownReasoning(String missing) {
        this.missing = missing;
    }

    @Override
    public void accept(TokenDelta delta, DeltaSink out) {
        if (!delta.text().isEmpty()) {
            addMissing(out);
            out.content(delta.text());
        }
    }

    @Override
    public void finish(FinishReason reason, DeltaSink out) {
        addMissing(out);
    }

    private void addMissing(DeltaSink out) {
        if (!missing.isEmpty()) {
            out.addedContent(missing);
            missing = "";
        }
    }
}
