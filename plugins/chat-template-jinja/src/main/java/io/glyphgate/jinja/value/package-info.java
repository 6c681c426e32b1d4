/** Python's values and what its operators do with them. There is no Java null among them: None is a value. */
@NullMarked
package io.glyphgate.jinja.value;

import org.jspecify.annotations.NullMarked;
