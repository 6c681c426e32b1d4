/** API keys and certificates: the files that hold them, read and checked. */
@NullMarked
package io.glyphgate.proxy.secure;

import org.jspecify.annotations.NullMarked;
