/** What the parsers cost. */
@NullMarked
package io.glyphgate.benchmarks;

import org.jspecify.annotations.NullMarked;
