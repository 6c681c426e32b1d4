/** From the syntax tree to closures that run it, with every name resolved to a slot. */
@NullMarked
package io.glyphgate.jinja.tree;

import org.jspecify.annotations.NullMarked;
