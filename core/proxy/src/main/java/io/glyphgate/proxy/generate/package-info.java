/** Carries one request through route, leg and choices to the bytes of its answer. */
@NullMarked
package io.glyphgate.proxy.generate;

import org.jspecify.annotations.NullMarked;
