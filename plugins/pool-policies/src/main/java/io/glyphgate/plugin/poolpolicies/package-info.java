/** The policies that choose an endpoint of a pool. */
@NullMarked
package io.glyphgate.plugin.poolpolicies;

import org.jspecify.annotations.NullMarked;
