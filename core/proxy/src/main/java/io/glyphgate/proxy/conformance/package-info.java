/** Runs recorded cases through the choice pipeline and says which differ. */
@NullMarked
package io.glyphgate.proxy.conformance;

import org.jspecify.annotations.NullMarked;
