/** Discovery of servers in DNS and in a file. */
@NullMarked
package io.glyphgate.plugin.discovery;

import org.jspecify.annotations.NullMarked;
