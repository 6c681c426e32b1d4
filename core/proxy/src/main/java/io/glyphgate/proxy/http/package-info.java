/** The doors: routes, errors, and what Helidon lacks. */
@NullMarked
package io.glyphgate.proxy.http;

import org.jspecify.annotations.NullMarked;
