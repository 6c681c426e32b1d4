/** Pools, their endpoints, and what is in flight on each. */
@NullMarked
package io.glyphgate.proxy.pool;

import org.jspecify.annotations.NullMarked;
