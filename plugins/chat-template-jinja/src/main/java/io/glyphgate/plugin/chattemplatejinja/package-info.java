/** Chat templates in Jinja; the engine is in {@code io.glyphgate.jinja}, which knows nothing of the proxy. */
@NullMarked
package io.glyphgate.plugin.chattemplatejinja;

import org.jspecify.annotations.NullMarked;
