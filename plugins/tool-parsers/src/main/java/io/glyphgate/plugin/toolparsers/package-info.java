/** Tool parsers. */
@NullMarked
package io.glyphgate.plugin.toolparsers;

import org.jspecify.annotations.NullMarked;
