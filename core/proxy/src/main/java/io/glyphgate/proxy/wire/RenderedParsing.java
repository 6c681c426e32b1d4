package io.glyphgate.proxy.wire;

import java.util.Optional;

/**
 * What a rendered request says of the parsers of its output.
 *
 * @param keepsSpecialTokens whether a server must not leave special tokens out of its text, because parsers look for some
 * @param reasoningEnded whether the prompt says that there is no reasoning to come; empty where only the output tells
 */
public record RenderedParsing(boolean keepsSpecialTokens, Optional<Boolean> reasoningEnded) {}
