/** The configuration: records, a strict reader, and the reference made from them. */
@NullMarked
package io.glyphgate.proxy.config;

import org.jspecify.annotations.NullMarked;
