/** Finds plugins, keeps them apart, and hands out their providers by name. */
@NullMarked
package io.glyphgate.proxy.plugin;

import org.jspecify.annotations.NullMarked;
