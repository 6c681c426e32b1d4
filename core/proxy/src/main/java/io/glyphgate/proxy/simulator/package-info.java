/** A simulated vLLM server that answers as the real one does, with faults on demand. */
@NullMarked
package io.glyphgate.proxy.simulator;

import org.jspecify.annotations.NullMarked;
