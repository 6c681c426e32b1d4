/** Requests and answers as JSON and as server-sent events. */
@NullMarked
package io.glyphgate.proxy.wire;

import org.jspecify.annotations.NullMarked;
