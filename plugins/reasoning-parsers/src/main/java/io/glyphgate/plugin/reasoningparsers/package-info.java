/** Reasoning parsers. */
@NullMarked
package io.glyphgate.plugin.reasoningparsers;

import org.jspecify.annotations.NullMarked;
