/** The parser of the harmony format. */
@NullMarked
package io.glyphgate.plugin.harmony;

import org.jspecify.annotations.NullMarked;
