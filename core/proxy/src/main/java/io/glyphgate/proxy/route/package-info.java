/** Decides which pools can serve a request, and says for each other one why not. */
@NullMarked
package io.glyphgate.proxy.route;

import org.jspecify.annotations.NullMarked;
