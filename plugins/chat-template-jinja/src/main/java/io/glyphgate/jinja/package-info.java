/**
 * Jinja as Hugging Face sets it up for chat templates, in plain Java. It knows the JDK and nothing else, so it can be used
 * without the proxy: {@link io.glyphgate.jinja.template.Template} is the way in.
 *
 * <p>Packages, each knowing only those before it: this one (errors and limits), {@code value} (Python's values and what its
 * operators do), {@code syntax} (source to tree), {@code builtin} (filters, tests, methods, globals), {@code tree} (tree to
 * closures over slots), {@code template}.
 */
@NullMarked
package io.glyphgate.jinja;

import org.jspecify.annotations.NullMarked;
