package io.glyphgate.toolkit;

import io.glyphgate.spi.DeltaSink;
import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.TokenDelta;
import io.glyphgate.spi.ToolParser;

/** The call of a function that the request names: all output is its arguments. */
final class NamedCall implements ToolParser {
    private final String name;
    private final StringBuilder blank = new StringBuilder();
    private boolean called;

    NamedCall(String name) {
        this.name = name;
    }

    @Override
    public void accept(TokenDelta delta, DeltaSink out) {
        CharSequence text = delta.text();
        if (!called && blank(text)) {
            blank.append(text);
            return;
        }
        if (!called) {
            called = true;
            out.toolCall(name, null);
            if (!blank.isEmpty()) {
                out.structure(blank);
                out.toolArguments(blank);
            }
        }
        if (!text.isEmpty()) {
            out.structure(text);
            out.toolArguments(text);
        }
    }

    private static boolean blank(CharSequence text) {
        for (int i = 0; i < text.length(); i++) {
            if (!Blank.is(text.charAt(i))) {
                return false;
            }
        }
        return true;
    }

    @Override
    public void finish(FinishReason reason, DeltaSink out) {
        if (!called && !blank.isEmpty()) {
            out.content(blank);
        }
    }
}
