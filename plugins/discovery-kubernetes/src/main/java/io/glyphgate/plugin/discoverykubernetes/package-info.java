/** Discovery of servers in the EndpointSlices of a Kubernetes service. */
@NullMarked
package io.glyphgate.plugin.discoverykubernetes;

import org.jspecify.annotations.NullMarked;
