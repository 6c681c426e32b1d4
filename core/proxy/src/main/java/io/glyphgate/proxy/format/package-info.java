/** Parsers of formats that the configuration describes. */
@NullMarked
package io.glyphgate.proxy.format;

import org.jspecify.annotations.NullMarked;
