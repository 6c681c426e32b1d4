/** Answers clients that want tokens of a text, or the text of tokens: the doors of vLLM and of happy_vLLM for it. */
@NullMarked
package io.glyphgate.proxy.tokenize;

import org.jspecify.annotations.NullMarked;
