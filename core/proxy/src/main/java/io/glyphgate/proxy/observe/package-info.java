/** Meters and health. */
@NullMarked
package io.glyphgate.proxy.observe;

import org.jspecify.annotations.NullMarked;
