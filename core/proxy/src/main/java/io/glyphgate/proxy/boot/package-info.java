/** The command line, and the wiring of everything by constructors; the only room that knows all others. */
@NullMarked
package io.glyphgate.proxy.boot;

import org.jspecify.annotations.NullMarked;
