/** Parsers of formats that the configuration, or a tokenizer, describes. */
@NullMarked
package io.glyphgate.proxy.format;

import org.jspecify.annotations.NullMarked;
