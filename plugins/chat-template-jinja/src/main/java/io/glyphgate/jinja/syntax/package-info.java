/** From the source of a template to its syntax tree. */
@NullMarked
package io.glyphgate.jinja.syntax;

import org.jspecify.annotations.NullMarked;
