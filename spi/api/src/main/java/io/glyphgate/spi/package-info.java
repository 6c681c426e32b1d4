/**
 * What a plugin sees of the proxy: JDK types and the types of this package, nothing else.
 *
 * <p>A plugin is a folder of jars. Each extension point has one {@code XProvider} interface, found by
 * {@link java.util.ServiceLoader}: implement it, name the class in {@code META-INF/services/io.glyphgate.spi.XProvider},
 * drop the jars in a folder under {@code plugins/}, and use the provider's {@link io.glyphgate.spi.Provider#name() name}
 * in the configuration. One provider instance lives as long as the process and is used by many threads; what it creates
 * belongs to one choice of one request and is used by one thread at a time.
 *
 * <p>How the SPI grows: interfaces that the host implements gain methods freely; interfaces that a plugin implements gain
 * only {@code default} methods; records never change; enums may gain constants, so a switch over one needs a {@code default};
 * nothing is removed within a major version. A plugin built for a minor version runs on every later minor version of the same
 * major version.
 *
 * <p>The thread's context class loader is the plugin's own while a provider creates, opens or loads something, and the program's
 * in all other calls. What a plugin throws where no exception is named ends the request with status 500, or with an error event,
 * and is counted by {@code glyphgate_plugin_errors_total}.
 *
 * <p>Unless a comment says otherwise, nothing here is ever null, text is UTF-16, an offset counts UTF-16 code units, and a
 * collection handed to a plugin must not be modified.
 */
@NullMarked
package io.glyphgate.spi;

import org.jspecify.annotations.NullMarked;
