/** What a template finds there: filters, tests, globals, and the methods of values. */
@NullMarked
package io.glyphgate.jinja.builtin;

import org.jspecify.annotations.NullMarked;
