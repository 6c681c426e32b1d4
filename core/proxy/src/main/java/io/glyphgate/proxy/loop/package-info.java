/** A few threads that wait for many sockets. */
@NullMarked
package io.glyphgate.proxy.loop;

import org.jspecify.annotations.NullMarked;
