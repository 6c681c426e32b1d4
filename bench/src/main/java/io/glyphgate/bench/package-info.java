/** What the proxy costs over HTTP, beside other proxies. */
@NullMarked
package io.glyphgate.bench;

import org.jspecify.annotations.NullMarked;
