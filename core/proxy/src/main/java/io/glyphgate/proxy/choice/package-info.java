/** Turns the tokens of one choice into text and messages. */
@NullMarked
package io.glyphgate.proxy.choice;

import org.jspecify.annotations.NullMarked;
