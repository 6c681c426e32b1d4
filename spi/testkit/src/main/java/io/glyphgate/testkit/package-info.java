/** Contract tests for each kind of plugin, and what they need: a recording sink, a context, a small tokenizer. */
@NullMarked
package io.glyphgate.testkit;

import org.jspecify.annotations.NullMarked;
