/** Sends requests at random to a proxy, for long, and judges every answer and what is left open. */
@NullMarked
package io.glyphgate.proxy.soak;

import org.jspecify.annotations.NullMarked;
