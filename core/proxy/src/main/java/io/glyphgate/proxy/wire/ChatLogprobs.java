package io.glyphgate.proxy.wire;

import io.glyphgate.spi.Tokenizer;

/** Placeholder until the real one is merged. */
public final class ChatLogprobs {
    /** x */
    public ChatLogprobs(Tokenizer t) {}

    /** x */
    public void write(Answer.RawValue raw, int kept, JsonOut out) {
        out.rawValue(raw.bytes(), raw.from(), raw.to());
    }
}
