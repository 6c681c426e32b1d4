/** A compiled template. */
@NullMarked
package io.glyphgate.jinja.template;

import org.jspecify.annotations.NullMarked;
